"""Fetches a city's open data in one command, merges it to one row per place and writes tables."""
