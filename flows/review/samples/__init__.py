"""Samples that people judge: rows in words with their passages, planted wrong rows, scores."""
