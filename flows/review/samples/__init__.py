"""Samples for people to judge: rows as sentences with passages, planted wrong rows, scores."""
