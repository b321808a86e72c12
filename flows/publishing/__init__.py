"""Publishes, checks, compares, exports and removes snapshots."""
