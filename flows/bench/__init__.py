"""Tests planners on a snapshot's queries, and ranks the planners on a leaderboard."""
