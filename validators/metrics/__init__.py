"""Computes the rule metrics of five papers, which ``catalogue`` lists, from one model of a plan."""
