"""People's decisions: rows out to reviewers, verdicts in, applied while a row says the same."""
