"""Fetches a city's open data, merges the rows into one row per place, and writes tables."""
