"""Documents by themselves: found on the web, archived, read."""
