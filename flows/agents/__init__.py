"""Offers the calls of a sandbox to agents, as tools over MCP and HTTP."""
