"""Deduplication of hundreds of thousands of places: vectorised, growing almost linearly."""

from geocoding.bulk.dedupe import INPUT, Deduped, dedupe

__all__ = ["INPUT", "Deduped", "dedupe"]
