"""Reads and writes files at addresses such as ``s3://bucket/folder``, with local copies."""
