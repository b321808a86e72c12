"""Let people review rows: export rows, import decisions, and apply them to unchanged rows."""
