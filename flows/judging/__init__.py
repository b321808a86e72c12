"""Plan metrics that a model judges: asked several times, reported separately."""
