"""Structured sources: what is wrong with one, before it is built from."""
