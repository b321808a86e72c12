"""Where reviewers' decisions are kept: a file beside the snapshots, or a database that is shared.

The settings may name a database by its SQLAlchemy address; without one the store's folder
holds ``review_decisions.jsonl``. Either way a reviewer's later decision replaces the earlier.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from flows.errors import SettingsError
from schemas.ids import canonical_json

Row = dict[str, Any]
DECISIONS_FILE = "review_decisions.jsonl"


def stored_decisions(store: Path, address: SecretStr | None) -> list[Row]:
    """Decisions that a store holds, in order of id. Raises SettingsError.

    ``address`` is the database's where there is one: ``Settings.reviews``.
    """
    held = _in_database(address) if address else _in_file(store / DECISIONS_FILE)
    return [held[key] for key in sorted(held)]


def store_decisions(store: Path, address: SecretStr | None, new: Iterable[Row]) -> tuple[int, int]:
    """Add decisions; how many are new or changed, and how many are held. Raises SettingsError."""
    held = {row["decision_id"]: row for row in stored_decisions(store, address)}
    changed = {r["decision_id"]: r for r in new if held.get(r["decision_id"]) != r}
    held.update(changed)
    if address:
        _to_database(address, changed)
    else:
        _to_file(store / DECISIONS_FILE, held)
    return len(changed), len(held)


def _in_file(path: Path) -> dict[str, Row]:
    if not path.is_file():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return {row["decision_id"]: row for row in map(json.loads, lines)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _to_file(path: Path, held: dict[str, Row]) -> None:
    made = path.with_name(f".{path.name}")
    made.write_text("".join(f"{canonical_json(held[key])}\n" for key in sorted(held)), "utf-8")
    made.replace(path)


def _open(address: SecretStr) -> tuple[Any, Any]:
    """Engine and table, made where it is missing."""
    # SQLAlchemy takes half a second to import, and most stores are files.
    import sqlalchemy as sa

    table = sa.Table(
        "review_decisions",
        sa.MetaData(),
        sa.Column("decision_id", sa.String(80), primary_key=True),
        sa.Column("decision", sa.Text, nullable=False, comment="the row as canonical JSON"),
    )
    try:
        engine = sa.create_engine(
            address.get_secret_value(), hide_parameters=True, poolclass=sa.NullPool
        )
        table.create(engine, checkfirst=True)
    except (sa.exc.SQLAlchemyError, ImportError) as error:
        name = type(error).__name__  # the message may hold the password
        raise SettingsError(
            f"the database of TRIPBED_REVIEWS cannot be used ({name}): it needs an SQLAlchemy address "
            "such as postgresql+psycopg://USER:PASSWORD@HOST/tripbed"
        ) from None
    return engine, table


def _in_database(address: SecretStr) -> dict[str, Row]:
    engine, table = _open(address)
    with engine.connect() as connection:
        return {
            row.decision_id: json.loads(row.decision) for row in connection.execute(table.select())
        }


def _to_database(address: SecretStr, changed: dict[str, Row]) -> None:
    engine, table = _open(address)
    rows = [{"decision_id": k, "decision": canonical_json(changed[k])} for k in sorted(changed)]
    with engine.begin() as connection:
        connection.execute(table.delete().where(table.c.decision_id.in_(changed)))
        if rows:
            connection.execute(table.insert(), rows)
