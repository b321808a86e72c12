"""Lets agents query a sandbox with tools, over MCP and HTTP."""
