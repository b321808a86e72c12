"""Rules for Chinese documents."""
