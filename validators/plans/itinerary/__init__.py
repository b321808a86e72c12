"""Plan the days of a trip: choose the sights, order them, and give each meal a restaurant."""
