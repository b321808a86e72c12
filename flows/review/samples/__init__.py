"""Samples of rows, written as sentences, that people mark as right or wrong.

Some of the rows are made wrong on purpose.
"""
