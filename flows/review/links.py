"""Let the next build decide links differently if reviewers rejected them.

Where reviewers said which place the name is, it is linked to that place, as long as the tables hold
it; where they said that it lies elsewhere, it is no name of a known city. Else a rejected row of
``links`` is no link any more, and a rejected row of ``unlinked_names`` whose name fits one place
alone becomes a link to it; where it fits several or none, it stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from flows.review.apply import LINKED, Rejection, explain_rejection
from flows.review.forms import ELSEWHERE
from geocoding.linking.told import Link, Linked
from schemas.review import fact_hash

#: The fullest form and the role of each name of a document, by its number.
Names = Mapping[int, tuple[str, str]]
#: The city of a place, None for a place that no table holds.
CityOf = Callable[[str], str | None]
#: Score of a link that reviewers made, in hundredths.
_SURE = 100


def group_rejections(
    rejections: Iterable[Rejection], doc_ids: Iterable[str]
) -> dict[str, list[Rejection]]:
    """The rejected links of some documents, by document."""
    wanted = set(doc_ids)
    found: dict[str, list[Rejection]] = {}
    for one in rejections:
        if one.table in LINKED and _document(one) in wanted:
            found.setdefault(_document(one), []).append(one)
    return found


def _document(rejection: Rejection) -> str:
    return rejection.row_id.split("/")[1]


def with_reviews(
    linked: Linked, names: Names, rejections: Iterable[Rejection], city_of: CityOf
) -> Linked:
    """The links of a document as its reviewers left them."""
    links = dict(linked.links)
    for one in rejections:
        n = int(one.row_id.split("/")[2])
        if n in links and n in names and fact_hash(_row(one, n, links[n], names)) == one.fact_hash:
            links[n] = _apply_rejection(links[n], one, city_of)
    return replace(linked, links=links)


def _row(rejection: Rejection, n: int, link: Link, names: Names) -> dict[str, object]:
    """What the row that was rejected would claim today,
    as ``flows.pipeline.stages.names`` has it.
    """
    name, role = names[n]
    row: dict[str, object] = {
        "city_id": rejection.city_id, "doc_id": _document(rejection), "name_number": n,
        "name": name, "rivals": list(link.rivals),
    }  # fmt: skip
    if rejection.table == "links":
        return {**row, "poi_id": link.poi_id, "resolution": "linked"}
    return {**row, "role": role, "unlinked_as": "review", "named_city_id": None}


def _apply_rejection(link: Link, rejection: Rejection, city_of: CityOf) -> Link:
    why = explain_rejection(rejection.reason)
    if rejection.instead == ELSEWHERE:
        return Link("unknown", None, why=why)
    if city := city_of(rejection.instead):
        return Link("linked", city, rejection.instead, _SURE, why=f"as reviewed, {why}")
    if rejection.table == "links":
        return Link("city", link.city_id, why=why)
    if link.city_id is None or len(link.rivals) != 1:
        return link
    return Link("linked", link.city_id, link.rivals[0], _SURE, why=f"as unlinked, {why}")
