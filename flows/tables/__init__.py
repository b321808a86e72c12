"""Structured sources: finds what is wrong with one before a build uses it."""
