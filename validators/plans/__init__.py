"""Check, solve and score plans against a snapshot."""
