"""Deduplicates hundreds of thousands of places with vectorised code, in almost linear time."""

from geocoding.bulk.dedupe import INPUT, Deduped, dedupe

__all__ = ["INPUT", "Deduped", "dedupe"]
