"""Review by people: export rows, import decisions, and apply the decisions to unchanged rows."""
