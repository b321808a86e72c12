"""The raw answer of the one request for a document: what is asked, its form, its bounds.

The answer is JSON whose rows are lines of cells, as in a table: every token is paid for, and the
names of keys would be half of the answer. Places are named once and then called by number.
"""

from __future__ import annotations

from typing import Any, get_args

from schemas.document_reading import Kind, PartOfDay
from schemas.reading import FactField

Schema = dict[str, Any]

#: Most characters of a name, of a heading or a condition, of a quote, and of a value.
MOST_NAME, MOST_LINE, MOST_QUOTE, MOST_VALUE = 120, 200, 400, 100
#: Most characters of a row: what its cells may hold together.
_MOST_PLACE, _MOST_DAY, _MOST_FACT = 700, 900, 1_400
#: The last day that a text counts; most journeys that it tells.
MOST_DAYS, MOST_TRIPS = 999, 20
#: The row before the days of a journey that is only planned.
PLAN = "plan"
PARTS_OF_DAY: tuple[str, ...] = get_args(PartOfDay)
#: A price has one field; its currency stands with the value or in the quote.
FIELDS = tuple(field for field in get_args(FactField) if field != "ticket_price_cny")

RULES = """Answer: {"kind":"","days":0,"departure":"","places":[""],"trips":[[""]],"facts":[""]}.
Rows are lines of cells; what is not said stays empty.
kind: diary (told), route (plan by days), guide (advice), list (rows of names, no sentences: no
roles, no trips), other. departure: where the journey starts.

places "n|name|role|what|where|also|parent|why": each place a traveller may care for, once; no
people, dishes, generic words. name: fullest form as written; also: other forms (short, foreign,
bracketed), split by ";". where: city or region if the text says so. what: empty for a sight, food
lodging shop station area fiction other. parent: n of the place around it. why: 40 characters of the text,
why to go or not. role:
visited: was there, liked or not
planned: meant to go, not told as done
recommended: advised to others
mentioned (or empty): passed, seen from afar, compared with, in an address
rejected: not entered: closed, missed, worse than another

trips: each journey a list of days "day|label|where|stops", first "plan" if only planned. A plan that
is also told is told; what it did not reach is a planned place. Advice or choices of routes: none.
day: number if the text counts. label: heading or date as written. stops: n of sights walked to,
"1>4 evening>2 afar", or "1,4,2" if no order is told. Each is walked to by itself: a gated sight is one
stop without its halls; in an open area each scene is one. Nothing passed, no meals, hotels, stations.
After n if told: morning noon afternoon evening night; afar: only seen from outside.

facts "n|field|value|condition|quote", of one place, also in tables, headings, brackets:
opening_hours 09:00-17:00; last_admission 16:30; closed_days Mon; ticket_price 60, free 0, 12 EUR;
duration_hours 2-3, half a day 4, a day 8; arrival_time 08:00 or dusk; season spring or Apr-Oct. No
fares, meals, guides, shows, totals, no guess ("spent the morning" is no duration). condition, never
left out: who=adult child student senior; when=months, season, weekdays; with=n the ticket opens too;
if=any other, as written, last; split by ";". quote: the line, then " // " and the heading that
limits it."""


def most_rows(size: int) -> int:
    """Most rows of a kind that a text of so many characters can give."""
    return 3 + size // 3


def document_schema(size: int) -> Schema:
    """JSON schema of the answer for a text of so many characters."""
    rows = most_rows(size)
    properties = {
        "kind": {"type": "string", "enum": list(get_args(Kind))},
        "days": {"type": "integer", "maximum": MOST_DAYS},
        "departure": _text(MOST_NAME),
        "places": _list(_text(_MOST_PLACE), rows),
        "trips": _list(_list(_text(_MOST_DAY), rows), MOST_TRIPS),
        "facts": _list(_text(_MOST_FACT), rows),
    }
    return {"type": "object", "properties": properties, "required": list(properties),
            "additionalProperties": False}  # fmt: skip


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}
