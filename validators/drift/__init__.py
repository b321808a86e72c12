"""What became of the sources since the last good snapshot, and what no good source says."""
