"""Rule metrics of five papers, over one model of a plan. ``catalogue`` lists them all."""
