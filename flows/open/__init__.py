"""Open data of a city in one command: asked, merged to one row a place, written as tables."""
