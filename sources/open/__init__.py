"""Open data about a city, fetched from those who publish it: one file per provider."""
