"""docs/data-dictionary.md, derived from the tables and fields: ``python -m schemas.dictionary``."""

from __future__ import annotations

import sys
from pathlib import Path

from schemas.tables import SCHEMA_VERSION, TABLES, Table

TARGET = Path("docs/data-dictionary.md")

_HEAD = """# Data dictionary

Schema version {version}. Written by `python -m schemas.dictionary`; a test fails when it is stale.

Every table lies in `data/<table>/`, split by `city=<slug>` or, for connections between cities,
by `pair=<origin>--<destination>`. Coordinates are WGS 84 degrees, money is integer
hundredths of the unit of the row's `currency` (1,200 yen are 120000; never converted), clock
times are minutes after local midnight, null means unknown.

Values of `poi_facts.value` and `conditional_facts.value` by `fact_field`: `opening_hours` OSM
syntax or `HH:MM-HH:MM`;
`last_admission` `HH:MM`; `closed_days` `Mon`..`Sun`, comma-separated; `ticket_price` units of
the row's `currency`, `0` when free; `duration_hours` decimal hours or a range `2-3`; `arrival_time`
`HH:MM`, a range or a part of the day; `season` `spring`..`winter` or `all year`.
"""


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _section(table: Table) -> str:
    lines = [
        f"## {table.name}",
        "",
        table.description,
        "",
        f"Key: `{'`, `'.join(table.key)}`. Split by: {table.partition}.",
        "",
        "| column | type | null | unit | description | source |",
        "|---|---|---|---|---|---|",
    ]
    for field in table.fields:
        description = field.description
        if field.codes:
            description += f" ({', '.join(f'`{code}`' for code in field.codes)})"
        if field.name in table.references:
            description += f" → `{table.references[field.name]}`"
        null = "yes" if field.name in table.nullable else ""
        lines.append(
            f"| `{field.name}` | {_cell(str(field.type))} | {null} | {_cell(field.unit)} "
            f"| {_cell(description)} | {_cell(field.source)} |"
        )
    return "\n".join(lines)


def data_dictionary() -> str:
    """The whole page as Markdown."""
    sections = [_section(table) for table in TABLES.values()]
    return "\n\n".join([_HEAD.format(version=SCHEMA_VERSION).strip(), *sections]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(data_dictionary(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
