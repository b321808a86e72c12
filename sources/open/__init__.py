"""Fetch open data about a city; each provider of data has a module of its own."""
