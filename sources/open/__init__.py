"""Fetch open data about a city; each data provider has its own module."""
