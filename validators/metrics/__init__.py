"""Computes the rule metrics of five papers (listed in ``catalogue``) using one common model of a
plan.
"""
