"""Metrics of plans that a model judges: asked several times, reported apart."""
