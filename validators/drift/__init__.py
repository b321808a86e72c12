"""Changes in the sources since the last good snapshot, and values that no good source has."""
