"""What the rules share between languages."""
