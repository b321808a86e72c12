"""People's decisions: export rows to reviewers, import verdicts, apply them to unchanged rows."""
