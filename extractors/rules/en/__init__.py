"""Reading English documents."""
