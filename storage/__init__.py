"""Files at addresses such as ``s3://bucket/folder``, and the scratch folder with their copies."""
