"""Computes the rule metrics from five papers (listed in ``catalogue``) on one model of a plan."""
