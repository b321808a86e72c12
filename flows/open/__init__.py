"""Open data of a city in one command: fetched, merged to one row a place, written as tables."""
