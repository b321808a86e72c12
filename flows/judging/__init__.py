"""Metrics that a model uses to judge plans. The model judges each plan several times."""
