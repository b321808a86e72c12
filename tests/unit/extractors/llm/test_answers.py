"""The schemas of raw answers: bounded everywhere, and of the form that the parsers read."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from extractors.llm.answers import answer_schema, derive_schema, without_text_bounds
from extractors.tasks import (
    DocumentTask,
    FactExtraction,
    PoiExtraction,
    RouteReading,
    TrajectoryExtraction,
)
from tests.support.extractors.llm.fixtures import ROUTE, document

POIS = {
    "kind": "route",
    "cities": ["海棠湾"],
    "days_stated": 2,
    "pois": [{"name": "青鹭寺", "role": "recommended", "parent": None, "reason": None}],
    "decoys": [],
}
FACTS = {
    "facts": [{"poi": "石门古街", "field": "duration_hours", "value": "4", "valid_when": "always",
               "evidence": "石门古街走半天"}]
}  # fmt: skip
READING = {
    "kind": "route",
    "days": 2,
    "places": [
        "1|青鹭寺|planned",
        "2|望潮阁|planned",
        "3|石门古街|planned",
        "4|老灯塔|rejected|||||在维修",
    ],
    "trips": [["plan", "1|第一天||1 morning>2 afternoon", "2|第二天||3"]],
    "facts": ["3|duration_hours|4||石门古街走半天"],
}
ANSWERS = [
    (DocumentTask(), READING),
    (PoiExtraction(), POIS),
    (TrajectoryExtraction(), ROUTE),
    (FactExtraction(), FACTS),
]


def parts(schema: Any) -> list[dict[str, Any]]:
    """Every schema inside a schema."""
    if isinstance(schema, list):
        return [found for part in schema for found in parts(part)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(found for part in schema.values() for found in parts(part))]


@pytest.mark.parametrize(("task", "answer"), ANSWERS)
def test_an_answer_in_the_form_of_the_schema_is_parsed_and_grounded(
    task: Any, answer: dict[str, Any]
) -> None:
    jsonschema.validate(answer, answer_schema(task, document()))
    output = task.parse(answer, document())
    grounded = task.check(document(), output)
    assert grounded.ungrounded == ()
    assert grounded.output == output


@pytest.mark.parametrize(
    "schema",
    [*(answer_schema(task, document()) for task, _ in ANSWERS), derive_schema(RouteReading)],
)
def test_every_text_list_and_object_is_bounded(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in parts(schema):
        kind = part.get("type")
        assert kind != "string" or "maxLength" in part or "enum" in part
        assert kind != "array" or "maxItems" in part
        if kind == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])


def test_a_schema_derived_from_a_model_fits_its_values() -> None:
    route = TrajectoryExtraction().parse(ROUTE, document())
    jsonschema.validate(json.loads(route.model_dump_json()), derive_schema(RouteReading))


def test_strict_mode_leaves_out_bounds_on_texts_only() -> None:
    schema = without_text_bounds(answer_schema(TrajectoryExtraction(), document()))
    assert "maxLength" not in json.dumps(schema)
    assert schema["properties"]["days"]["maxItems"] == 4
