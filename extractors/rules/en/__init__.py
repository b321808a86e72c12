"""Rules for English documents."""
