"""The review page: choose rows, show them, and keep the reviewers' decisions."""
