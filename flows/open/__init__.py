"""Fetches a city's open data in one command, merges the rows to one per place and writes tables."""
