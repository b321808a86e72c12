"""Offers the sandbox to agents: its calls become tools over MCP and HTTP."""
