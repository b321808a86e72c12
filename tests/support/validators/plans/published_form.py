"""ChinaTravel's published form of plans as a JSON Schema:
fields, types, and what each type needs.
"""

from __future__ import annotations

from typing import Any

_TEXT, _WHOLE, _NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
_CLOCK = {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}
_PRICED = {"start_time": _CLOCK, "end_time": _CLOCK, "price": _NUMBER, "cost": _NUMBER}


def _object(required: list[str], **fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": fields}


_WAY = _object(
    ["start", "end", "mode", *_PRICED, "distance"], start=_TEXT, end=_TEXT, distance=_NUMBER,
    mode={"enum": ["walk", "metro", "taxi"]}, tickets=_WHOLE, **_PRICED,
)  # fmt: skip
_ACTIVITY = _object(
    ["type", *_PRICED, "transports"], transports={"type": "array", "items": _WAY},
    position=_TEXT, start=_TEXT, end=_TEXT, TrainID=_TEXT, FlightID=_TEXT,
    tickets=_WHOLE, rooms=_WHOLE, room_type=_WHOLE, **_PRICED,
)  # fmt: skip
_JOURNEY_ONLY = ("start", "end", "TrainID", "FlightID")


def _kind(names: list[str], needs: list[str], lacks: list[str]) -> dict[str, Any]:
    """An activity of some kinds: what it must and what it must not have."""
    absent = [{"not": {"required": [field]}} for field in lacks]
    return {"properties": {"type": {"enum": names}}, "required": needs, "allOf": absent}


_STAYS = ["attraction", "breakfast", "lunch", "dinner", "accommodation"]
PUBLISHED_FORM = _object(
    ["people_number", "start_city", "target_city", "itinerary"],
    people_number=_WHOLE, start_city=_TEXT, target_city=_TEXT,
    itinerary={"type": "array", "items": _object(
        ["day", "activities"], day=_WHOLE,
        activities={"type": "array", "items": {
            **_ACTIVITY,
            "anyOf": [
                _kind(["train"], ["start", "end", "TrainID"], ["position"]),
                _kind(["airplane"], ["start", "end", "FlightID"], ["position"]),
                _kind(_STAYS, ["position"], list(_JOURNEY_ONLY)),
            ],
        }},
    )},
)  # fmt: skip
