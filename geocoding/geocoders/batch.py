"""Ask many questions, each only once: equal ones share an answer, and none is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from geocoding.geocoders.base import LASTING, Geocoder, GeocoderQuestion, GeocoderReply, PlacePoint
from geocoding.geocoders.cache import AnswerCache


def ask_all(
    geocoder: Geocoder,
    questions: Sequence[GeocoderQuestion | PlacePoint],
    cache: AnswerCache | None = None,
    done: Callable[[int], None] = lambda n: None,
) -> list[GeocoderReply]:
    """A reply for every question, in order. ``done`` is told how many are through.

    Lasting replies come from the cache where it holds them, and are kept there. A question that
    met a quota, an outage or a malformed answer is not kept: the next run asks again.
    """
    replies: dict[GeocoderQuestion | PlacePoint, GeocoderReply] = {}
    for position, question in enumerate(questions, 1):
        if question not in replies:
            replies[question] = _ask(geocoder, question, cache)
        done(position)
    return [replies[question] for question in questions]


def _ask(
    geocoder: Geocoder, question: GeocoderQuestion | PlacePoint, cache: AnswerCache | None
) -> GeocoderReply:
    held = cache.get(geocoder.name, question) if cache else None
    if held is not None:
        return held
    reply = _answer(geocoder, question)
    if cache is None or reply.outcome not in LASTING:
        return reply
    dated = replace(reply, asked_on=cache.today().isoformat())
    cache.put(geocoder.name, question, dated)
    return dated


def _answer(geocoder: Geocoder, question: GeocoderQuestion | PlacePoint) -> GeocoderReply:
    if isinstance(question, PlacePoint):
        return geocoder.reverse(question)
    return geocoder.search(question)
