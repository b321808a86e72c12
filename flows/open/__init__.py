"""Fetch a city's open data in one command: merged to one row per place, and written as tables."""
