"""Plan the days of a trip: choose the sights, order them, and choose a restaurant for each meal."""
