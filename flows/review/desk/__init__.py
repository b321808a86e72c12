"""The review page: choose its rows, show them, and keep the decisions of reviewers."""
