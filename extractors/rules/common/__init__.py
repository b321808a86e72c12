"""Rules that all languages share."""
