"""Check structured sources for errors before a build uses them."""
