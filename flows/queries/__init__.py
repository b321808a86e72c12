"""Query files: built from a profile, audited, reworded or imported."""
