"""The tools' schemas: strict, described, with examples that they accept themselves."""

from __future__ import annotations

import jsonschema
import pytest

from flows.agents.openapi import FORMS, openai_functions, openapi, reference_page
from flows.agents.registry import TOOLS, Tool

EVERY = [pytest.param(tool, id=name) for name, tool in TOOLS.items()]


@pytest.mark.parametrize("tool", EVERY)
def test_each_tool_is_described_and_its_example_fits(tool: Tool) -> None:
    assert 20 < len(tool.description) < 400
    schema = tool.schema
    assert schema["additionalProperties"] is False
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tool.example, schema)
    for name, part in schema.get("properties", {}).items():
        assert part.get("description"), f"{name} is not described"


def test_every_form_names_every_tool() -> None:
    names = set(TOOLS)
    assert {one["function"]["name"] for one in openai_functions()} == names
    assert {one["name"] for one in FORMS["mcp"]()} == names
    assert {path.removeprefix("/tools/") for path in openapi()["paths"]} == names
    page = reference_page("")
    assert all(f"<h2>{name}</h2>" in page for name in names)


def test_the_sandbox_s_calls_are_there() -> None:
    asked = {
        "select", "find", "nearby", "is_open", "types", "cuisines", "goto", "metro_route",
        "intercity", "distance_matrix", "city_stats", "queue_minutes", "best_trajectories",
        "queries", "facts", "popular", "rooms",
    }  # fmt: skip
    assert asked <= set(TOOLS)
