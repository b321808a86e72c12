"""Which conditions really limit a fact: a free ticket stays free even if it has to be booked."""

from __future__ import annotations

import re

#: How one books, and by when: what a place costs and when it opens stay as they are.
_BOOKING = re.compile(
    r"(?:提前|需要?|须|请|可|在)?[^,，;；、]{0,12}(?:预约|预订|订票)|"
    r"(?:with |by |requires? |needs? )?(?:an? )?(?:advance |online |time-slot |timed )*"
    r"(?:booking|reservation|reserve|book)(?: required| needed| online| ahead| in advance)*",
    re.IGNORECASE,
)
#: Holidays, on which a day off may fall out: the day off of all other weeks stays.
_HOLIDAYS = re.compile(
    r"(?:除了?|遇|不含)?(?:国家|法定|公共)?(?:节?假日|节日)(?:除外|照常开放|不休)?|"
    r"(?:except |unless )?(?:on )?(?:a )?(?:public |national )?holidays?",
    re.IGNORECASE,
)


def limit_of(field: str, condition: str | None) -> str | None:
    """The parts of a condition ("; " between them) that limit a fact of a field; None for none."""
    free = [_BOOKING, _HOLIDAYS] if field == "closed_days" else [_BOOKING]
    parts = [part for part in (condition or "").split("; ") if part]
    return "; ".join(p for p in parts if not any(form.fullmatch(p) for form in free)) or None
