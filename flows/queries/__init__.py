"""Query files: built from a profile, audited, reworded, imported."""
