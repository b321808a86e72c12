"""Open data of a city in one command: fetched, merged to one row for each place, saved as tables."""
