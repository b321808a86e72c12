"""Defines the JSON schemas for the raw answers to tasks.

An endpoint that enforces a schema may write until a limit stops it, so every string and every list
has a limit. The parsers of the tasks read exactly these forms.
"""

from __future__ import annotations

from typing import Any, cast, get_args

from pydantic import BaseModel

from extractors.tasks.name_reviews import LETTERS
from extractors.tasks.pair_judgement import Relation
from extractors.tasks.place_tasks import TagField
from extractors.tasks.query_reading import MOST_VALUES, MOST_WISHES, WishKind, WishMode
from extractors.tasks.query_tasks import LONGEST_QUERY, LONGEST_REQUEST
from schemas.reading import DocumentKind, FactField, Role
from schemas.tasks import DocumentInput, In, Out, Task
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, codes

Schema = dict[str, Any]

_MOST_TEXT, _MOST_ITEMS = 400, 100


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _one_of(literal: Any) -> Schema:
    return {"type": "string", "enum": list(get_args(literal))}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


#: A model gives every price as a number; the quote contains the currency.
_FACT_FIELD = {"type": "string", "enum": [f for f in get_args(FactField) if f != "ticket_price"]}
_DAY = {"type": "integer", "minimum": 0, "maximum": 60}
_NAME = _text(60)

_NUMBER = {"type": "integer", "minimum": 1, "maximum": 200}
_TEXTS = _list(_text(LONGEST_QUERY), 20)

_ANSWERS: dict[str, Schema] = {
    "query_reading": _object(
        wishes=_list(
            _object(
                kind=_one_of(WishKind),
                mode=_one_of(WishMode),
                values=_list(_text(60), MOST_VALUES),
                amount=_nullable({"type": "integer", "minimum": 1}),
                quote=_text(200),
            ),
            MOST_WISHES,
        )
    ),
    "query_rewording": _object(texts=_list(_text(LONGEST_REQUEST), 10)),
    "sub_query_rewriting": _object(sub_queries=_TEXTS),
    "context_tagging": _object(
        tags=_list(_object(field=_one_of(TagField), value=_text(300), evidence=_text(160)), 6)
    ),
    "attraction_classification": _object(
        places=_list(
            _object(
                name=_NAME,
                base=_nullable({"type": "string", "enum": list(codes(BASE_TYPES))}),
                trends=_list(
                    _object(
                        code={"type": "string", "enum": list(codes(TREND_TYPES))},
                        evidence=_text(60),
                    ),
                    10,
                ),
            ),
            60,
        )
    ),
    "consistency_judgement": _object(
        wishes=_list(_object(number=_NUMBER, fits={"type": "boolean"}), 30)
    ),
    "link_review": _object(
        links=_list(
            _object(number=_NUMBER, place=_nullable({"type": "string", "enum": [*LETTERS]})),
            20,
        )
    ),
    "pair_judgement": _object(
        pairs=_list(_object(number=_NUMBER, answer=_one_of(Relation), why=_text(200)), 30)
    ),
    "translation": _object(
        texts=_list(_object(number=_NUMBER, translation=_nullable(_text(400))), 60)
    ),
    "poi_extraction": _object(
        kind=_one_of(DocumentKind),
        cities=_list(_NAME, 10),
        days_stated=_nullable(_DAY),
        pois=_list(
            _object(
                name=_NAME, role=_one_of(Role), parent=_nullable(_NAME), reason=_nullable(_text(60))
            ),
            100,
        ),
        decoys=_list(_NAME, 30),
    ),
    "trajectory_extraction": _object(
        days=_list(
            _object(day=_DAY, visits=_list(_object(name=_NAME, remark=_nullable(_text(120))), 15)),
            31,
        ),
        reason={"type": "string", "maxLength": 120},
    ),
    "fact_extraction": _object(
        facts=_list(
            _object(
                evidence=_text(120),
                poi=_NAME,
                field=_FACT_FIELD,
                value=_text(40),
                valid_when=_text(30),
            ),
            30,
        ),
    ),
}


def answer_schema(task: Task[In, Out], item: In) -> Schema:
    """Return the schema for a task's raw answer, with limits.

    The task's own schema for the item takes precedence. If the task defines no schema, the task's
    entry in ``_ANSWERS`` is used, or else a schema derived from the task's output model.
    """
    if (own := getattr(task, "schema", None)) is not None:
        return cast("Schema", own(item))
    known = _ANSWERS.get(task.name) or derive_schema(task.output_model)
    if isinstance(item, DocumentInput):
        return _for_length(known, len(item.document.text))
    return known


#: A list may have one item for so many characters of the document, so that an endless list is
#: cut off early.
_CHARACTERS_AN_ITEM = {"facts": 40, "pois": 12, "days": 40}


def _for_length(schema: Schema, size: int) -> Schema:
    """Return the schema with the lengths of its lists limited to suit the size of the document."""
    properties = dict(schema.get("properties", {}))
    for name, characters in _CHARACTERS_AN_ITEM.items():
        if name in properties:
            most = min(properties[name]["maxItems"], 3 + size // characters)
            properties[name] = {**properties[name], "maxItems": most}
    return {**schema, "properties": properties}


def derive_schema(model: type[BaseModel]) -> Schema:
    """Derive a schema with limits from the model that the parser reads."""
    return _bound_schema(model.model_json_schema())


def without_text_bounds(schema: Any) -> Any:
    """Return the schema for an endpoint that does not support limits on strings."""
    if isinstance(schema, list):
        return [without_text_bounds(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {k: without_text_bounds(v) for k, v in schema.items()}
    if schema.get("type") == "string":
        kept = {k: v for k, v in kept.items() if k not in ("minLength", "maxLength")}
    return kept


def _bound_schema(schema: Schema) -> Schema:
    """Return the schema with missing limits added, all fields required, and other fields forbidden.

    Titles and defaults are dropped.
    """
    out = {k: v for k, v in schema.items() if k not in ("title", "default")}
    for key in ("properties", "$defs"):
        if key in out:
            out[key] = {name: _bound_schema(part) for name, part in out[key].items()}
    for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
        if key in out:
            out[key] = [_bound_schema(part) for part in out[key]]
    if isinstance(out.get("items"), dict):
        out["items"] = _bound_schema(out["items"])
    if out.get("type") == "string" and "enum" not in out and "const" not in out:
        out.setdefault("maxLength", _MOST_TEXT)
    if out.get("type") == "array":
        out.setdefault("maxItems", _MOST_ITEMS)
    if out.get("type") == "object" and "properties" in out:
        out["required"] = list(out["properties"])
        out["additionalProperties"] = False
    return out
