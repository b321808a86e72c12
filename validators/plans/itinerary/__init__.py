"""Plan the days of a trip: choose and order the sights, and choose a restaurant per meal."""
