"""Snapshots: published once their gates pass, checked, compared, exported, removed."""
