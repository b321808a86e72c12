"""Finds changes in the sources since the last good snapshot, and implausible values."""
