"""Snapshots: published when their gates pass, checked, compared, exported, removed."""
