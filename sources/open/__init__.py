"""Open data of a city asked from those who publish it: one file a provider."""
