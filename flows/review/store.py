"""Keep reviewers' decisions in a file beside the snapshots, or in a shared database.

The settings can name a database by its SQLAlchemy address. If the settings name no database, the
decisions are in the file ``review_decisions.jsonl`` in the store's folder. A reviewer's later
decision on a row replaces the earlier one. The file is locked and always replaced as a whole, so
that no simultaneous change is lost.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from flows.errors import SettingsError
from schemas.ids import canonical_json
from storage.places import address_of, show_path

Row = dict[str, Any]
DECISIONS_FILE = "review_decisions.jsonl"


def decisions_file(store: Path) -> Path:
    """Return the path of a store's decisions; if ``store`` is a .jsonl file, return ``store``
    itself.
    """
    return store if store.suffix == ".jsonl" else store / DECISIONS_FILE


def check_keeps(store: Path, address: SecretStr | None) -> None:
    """Check that decisions can be kept in a store.

    Raises SettingsError if the store is at a remote address and no database is set.
    """
    if address is None and address_of(decisions_file(store)) is not None:
        raise SettingsError(
            f"{show_path(store)} is not on this machine, so decisions about its rows must be kept "
            "in a database: set TRIPBED_REVIEWS, or choose a store on this machine"
        )


def list_decisions(store: Path, address: SecretStr | None) -> list[Row]:
    """Return the decisions in a store, sorted by id.

    ``address`` is the address of the database (``Settings.reviews``), or None if there is no
    database. Raises SettingsError if the decisions cannot be read.
    """
    held = _in_database(address) if address else _in_file(decisions_file(store))
    return [held[key] for key in sorted(held)]


def store_decisions(store: Path, address: SecretStr | None, new: Iterable[Row]) -> tuple[int, int]:
    """Add decisions to a store.

    Returns the number of new or changed decisions, and the number of decisions in the store. Raises
    SettingsError if the store cannot be read.
    """
    before, after = _change(store, address, {row["decision_id"]: row for row in new})
    return sum(before.get(key) != row for key, row in after.items()), len(after)


def put_decision(
    store: Path, address: SecretStr | None, decision_id: str, row: Row | None
) -> list[Row]:
    """Replace the decision with this id, or remove it if ``row`` is None.

    Returns all decisions in the store after the change. Raises SettingsError if the store cannot be
    read.
    """
    _, after = _change(store, address, {decision_id: row})
    return [after[key] for key in sorted(after)]


def _change(
    store: Path, address: SecretStr | None, new: dict[str, Row | None]
) -> tuple[dict[str, Row], dict[str, Row]]:
    """Add decisions to a store; remove the decisions whose new value is None.

    Returns the decisions before and after the change.
    """
    path = decisions_file(store)
    with nullcontext() if address else _lock(path):
        held = _in_database(address) if address else _in_file(path)
        changed = {key: row for key, row in new.items() if held.get(key) != row}
        after = {k: row for k, row in {**held, **changed}.items() if row is not None}
        if address:
            _to_database(address, changed)
        elif changed:
            _to_file(path, after)
    return held, after


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Wait until no other thread or process is writing the file, and lock it."""
    with path.with_name(f".{path.name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _in_file(path: Path) -> dict[str, Row]:
    if not path.is_file():
        return {}
    try:
        # Split only at newlines, because a reason may contain other characters that end a line.
        lines = path.read_text(encoding="utf-8").split("\n")
        return {row["decision_id"]: row for row in map(json.loads, filter(None, lines))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _to_file(path: Path, held: dict[str, Row]) -> None:
    made = path.with_name(f".{path.name}")
    with made.open("w", encoding="utf-8") as handle:
        handle.writelines(f"{canonical_json(held[key])}\n" for key in sorted(held))
        handle.flush()
        os.fsync(handle.fileno())
    made.replace(path)


def _open(address: SecretStr) -> tuple[Any, Any]:
    """Open the database, and create its table if it is missing."""
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
        name = type(error).__name__  # the message may contain the password
        raise SettingsError(
            f"the database in TRIPBED_REVIEWS cannot be used ({name}): set the variable to a"
            " database URL in SQLAlchemy's form, such as postgresql+psycopg://USER:PASSWORD@HOST/tripbed"
        ) from None
    return engine, table


def _in_database(address: SecretStr) -> dict[str, Row]:
    engine, table = _open(address)
    with engine.connect() as connection:
        return {
            row.decision_id: json.loads(row.decision) for row in connection.execute(table.select())
        }


def _to_database(address: SecretStr, changed: dict[str, Row | None]) -> None:
    engine, table = _open(address)
    rows = [
        {"decision_id": key, "decision": canonical_json(row)}
        for key, row in sorted(changed.items()) if row is not None
    ]  # fmt: skip
    with engine.begin() as connection:
        connection.execute(table.delete().where(table.c.decision_id.in_(changed)))
        if rows:
            connection.execute(table.insert(), rows)
