"""Serve the sandbox to agents: its calls as tools over MCP and HTTP."""
