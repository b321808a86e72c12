"""Copies of documents: found once, and what a city makes of them."""

from __future__ import annotations

import polars as pl

from flows.pipeline.request import make_inputs
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job
from flows.pipeline.stages.documents import compute_copies as compute
from flows.pipeline.stages.documents import copies_among
from schemas import frames as inner
from schemas.arrow import polars_schema_of

STOPS = ("钟楼", "鼓楼", "碑林", "小雁塔", "城墙")
#: Long enough to be compared by text.
TEXT = (
    "早上从客栈出发先去看了钟楼然后沿着大街慢慢走到鼓楼再往南到碑林下午看了小雁塔最后登上城墙看日落"
)


def upstream(*documents: tuple[str, str, str, tuple[str, ...]]) -> dict[str, list[Frames]]:
    """Documents by id, path, text and stops, as the stages before hand them on."""
    meta, blocks, stops = [], [], []
    for doc_id, path, text, names in documents:
        meta.append({"doc_id": doc_id, "path": path, "lang": "zh", "size_bytes": 1,
                     "n_chars": len(text)})  # fmt: skip
        blocks.append({"doc_id": doc_id, "position": 0, "kind": "paragraph", "level": 0,
                       "strong": False, "start": 0, "text": text})  # fmt: skip
        stops += [
            {"doc_id": doc_id, "trip": 1, "day": 1, "order": order, "n": order, "name": name,
             "lang": "zh", "start": order, "end": order + 1, "is_planned": False,
             "is_ordered": True}
            for order, name in enumerate(names, 1)
        ]  # fmt: skip
    schemas = {
        name: polars_schema_of(table)
        for name, table in (
            ("meta", inner.META),
            ("blocks", inner.BLOCKS),
            ("stops", inner.READ_STOPS),
        )
    }
    made = {name: pl.DataFrame(rows, schema=schemas[name], orient="row")
            for name, rows in (("meta", meta), ("blocks", blocks), ("stops", stops))}  # fmt: skip
    return {"corpus": [{"meta": made["meta"], "blocks": made["blocks"]}],
            "read": [{"stops": made["stops"]}]}  # fmt: skip


def originals(*documents: tuple[str, str, str, tuple[str, ...]]) -> pl.DataFrame:
    inputs = make_inputs(["suzhou"], ["."])
    return compute(Job(inputs, None, "all"), upstream(*documents))["originals"]


def pairs(rows: pl.DataFrame) -> dict[str, tuple[str, str]]:
    return {row["doc_id"]: (row["original"], row["how"]) for row in rows.to_dicts()}


def test_of_texts_the_first_by_path_is_the_original() -> None:
    found = originals(("d1", "b.md", TEXT, ()), ("d2", "a.md", TEXT + "。", ()))
    assert pairs(found) == {"d1": ("d2", "text")}


def test_of_journeys_the_one_with_more_text_is_the_original() -> None:
    found = originals(
        ("d1", "a.md", "、".join(STOPS), STOPS), ("d2", "b.html", TEXT[::-1], STOPS),
        ("d3", "c.md", "鼓楼", STOPS[:4]),
    )  # fmt: skip
    assert pairs(found) == {"d1": ("d2", "stops")}


def test_names_of_stops_compare_folded() -> None:
    found = originals(
        ("d1", "a.md", "x", ("The Bell Tower", *STOPS)),
        ("d2", "b.md", "yy", ("the  bell tower", *STOPS)),
    )
    assert pairs(found) == {"d1": ("d2", "stops")}


def test_a_copy_of_a_copy_goes_to_the_last_original() -> None:
    longer = TEXT[::-1] + "还有很多别的见闻都记在这里了" * 3
    found = originals(
        ("d1", "a.md", TEXT, STOPS),
        ("d2", "b.md", TEXT + "。", STOPS),
        ("d3", "c.md", longer, STOPS),
    )
    assert pairs(found) == {"d1": ("d3", "stops"), "d2": ("d3", "text")}
    assert not set(found["original"]) & set(found["doc_id"])
    assert copies_among(found, ["d1", "d2", "d3"]) == {"d1": "d3", "d2": "d3"}
    assert copies_among(found, ["d1", "d2"]) == {"d2": "d1"}, "the original is of another city"
    assert copies_among(found, ["d2", "d3"]) == {"d2": "d3"}
    assert copies_among(found, ["d2"]) == {}


def test_the_order_of_documents_changes_nothing() -> None:
    given = [(f"d{n}", f"{n % 3}.md", TEXT + "。" * n, STOPS if n % 2 else ()) for n in range(6)]
    assert originals(*given).equals(originals(*reversed(given)))
