"""Places in files and snapshots, without a build: located, matched, explained."""
