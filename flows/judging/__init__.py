"""Metrics of plans that a model judges. The model judges each plan several times."""
