"""Metrics by which a model judges plans. The model judges each plan several times."""
