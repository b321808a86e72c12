"""Planners measured on a snapshot's queries, and a leaderboard of what they came to."""
