"""The sandbox in an agent's hands: its calls as tools over MCP and HTTP."""
