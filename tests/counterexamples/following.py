"""What follows from a change: gates that compute again fail too where their tables fit no more."""

from __future__ import annotations

FOLLOWS: dict[str, tuple[str, ...]] = {
    "a better document further down": ("references_ranked",),
    "a better one further down": ("candidates",),
    "a departure after midnight's end": ("connection_ids",),
    "a fast train of two days": ("connection_ids",),
    "a flight an hour too long": ("connection_ids",),
    "a gap that is none": ("references_ranked",),
    "a hotel moved without its cell": (
        "nearest_stations",
        "stay_clusters",
    ),
    "a mention of no place": ("popularity",),
    "a popular place that is gone": ("popularity",),
    "a route of one day": ("references_ranked",),
    "a route of two stops": ("candidates",),
    "a route that no map knows": (
        "candidates",
        "popularity",
    ),
    "a stop at another place than its mention": ("candidates",),
    "a stop in the other city": ("candidates",),
    "a stop that is no candidate": ("candidates",),
    "a stop that no edit made": ("candidates",),
    "a table that is empty now": ("outcomes",),
    "a table without an account": ("chain",),
    "a tag in an unknown context": ("tagged",),
    "a train to where it starts": ("connection_ids",),
    "a trajectory that is gone": ("candidates",),
    "a trip of five days without clusters": ("stay_clusters",),
    "candidates that begin with two": ("candidates",),
    "days counted wrong": ("references_ranked",),
    "latitude and longitude swapped": ("nearest_stations",),
    "one trajectory twice": (
        "candidates",
        "references_ranked",
    ),
    "part of a place elsewhere": (
        "outcomes",
        "parents",
    ),
    "the second more popular than the first": ("popularity",),
    "the smaller cluster first": ("stay_clusters",),
    "a distance of another precision": ("stay_clusters",),
    "popularity of another place": ("popularity",),
    "two places called merged": ("findings",),
    "two places of one row": ("origins",),
}
