"""Reading Chinese documents."""
