"""Measures planners on a snapshot's queries, and ranks them on a leaderboard."""
