"""Measure planners on a snapshot's queries, and rank them on a leaderboard."""
