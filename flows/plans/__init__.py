"""Check, score and solve plans against a snapshot."""
