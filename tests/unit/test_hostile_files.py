"""Hostile files and outputs: archives, Parquet footers, YAML, spreadsheets, the data of pages.

As in ``test_hostile_inputs``, each case is its seed: it is refused by an error that tells the user
what to do, or read without harm.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from extractors.own_readings import read_file
from flows.report.one_file import embed_json
from flows.report.texts import clean
from flows.review.agreed_types import OPEN, write_open
from flows.review.samples.files import COLUMNS, write_rows
from geocoding.names import name_key
from schemas.cells import without_apostrophe
from schemas.cities import find_city
from sources.tables.mapped import read_mapped
from sources.tables.tripbed_csv import read_tripbed
from sources.web.collection import read_collection
from tests.counterexamples import good
from tests.support.hostile import CANARY, NUMBERS, hostile_text, play
from warehouse.export.account import write_csv
from warehouse.read import Snapshot

SEEDS = range(25)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
UNSEEN = "\u200b\u200d\u2060\ufeff\u00ad\u202e\u2066"


def _page(rng: random.Random, folder: Path) -> None:
    """The data of a page: no text of it ends the script or opens another element."""
    told: dict[str, Any] = {
        "name": hostile_text(rng),
        "rows": [{"path": hostile_text(rng)} for _ in range(3)],
    }
    try:
        script = embed_json(told)
    except UnicodeEncodeError:  # half a character has no place on a page
        return
    assert not set("<>&\u2028\u2029") & set(script)
    assert json.loads(script) == told
    shown = clean(told["name"])
    assert not set("\x00\x07\x1b\r\n" + UNSEEN) & set(shown)
    assert len(shown) <= 160


def _spreadsheet(rng: random.Random, folder: Path) -> None:
    """Whatever is exported: no cell is a formula, and a text comes back as it was."""
    text = hostile_text(rng)
    write_csv(folder / "a.csv", ["name", "price"], [{"name": text, "price": -5}])
    write_rows([dict.fromkeys(COLUMNS, text)], folder / "b.csv")
    row = dict.fromkeys(OPEN, text) | {"status": "review", "by_a": [text]}
    write_open([row], ["a"], folder / "c.csv")
    for name in ("a.csv", "b.csv", "c.csv"):
        body = (folder / name).read_text(encoding="utf-8-sig")
        cells = [c for row in list(csv.reader(io.StringIO(body, newline="")))[1:] for c in row]
        assert [c for c in cells if c.startswith(FORMULA) and c != "-5"] == []
    again = list(csv.DictReader((folder / "a.csv").open(encoding="utf-8", newline="")))
    assert without_apostrophe(again[0]["name"]) == text


def _mapping(rng: random.Random, folder: Path) -> None:
    """A mapping with tags, anchors, files elsewhere and encodings that are none."""
    outside = folder.parent / f"{folder.name}-outside.csv"
    outside.write_text(f"name_zh,lat,lon\n{CANARY},30.2,120.1\n", encoding="utf-8")
    (folder / "a.csv").write_text("name_zh,lat,lon\n湖,30.2,120.1\n", encoding="utf-8")
    file = rng.choice([f"../{outside.name}", str(outside), "a.csv", hostile_text(rng), "link.csv"])
    (folder / "link.csv").symlink_to(outside)
    value = rng.choice(
        [json.dumps(file), f"!!python/name:os.system {file}", "*x", json.dumps([file])]
    )
    text = (
        f"tables:\n  attractions:\n    file: {value}\n    encoding:"
        f" {json.dumps(hostile_text(rng)) if rng.random() < 0.3 else 'utf-8'}\n    columns:"
        " {name_zh: name_zh, lat: lat, lon: lon}\n"
    )
    (folder / "mapping.yaml").write_text(text, encoding="utf-8", errors="replace")
    found = read_mapped(folder, find_city("hangzhou"))
    assert CANARY not in str(found.attractions.to_dicts())


def _sources(rng: random.Random, folder: Path) -> None:
    """A list of sources beside the tables."""
    (folder / "gazetteer.csv").write_text("name_zh,lat,lon\n湖,30.2,120.1\n", encoding="utf-8")
    mark = folder / CANARY
    entry = rng.choice(
        [
            f"!!python/object/apply:os.system ['touch {mark}']",
            f"{{files: {json.dumps(hostile_text(rng))}, source: {json.dumps(hostile_text(rng))}}}",
            f"{{files: '*', date: {rng.choice(NUMBERS) or 'x'}}}", json.dumps(hostile_text(rng)),
            "&a [*a]",
        ]
    )  # fmt: skip
    (folder / "sources.yaml").write_text(f"- {entry}\n", encoding="utf-8", errors="replace")
    read_tripbed(folder, find_city("hangzhou"))


def _parquet(rng: random.Random, folder: Path) -> None:
    """A table of a snapshot whose footer, length or body is wrong."""
    base = _snapshot(folder.parent.parent)
    snapshot = Snapshot(base)
    name = rng.choice(["pois", "cities", "poi_facts"])
    path = base / snapshot.manifest.tables[name].files[0].path
    body = path.read_bytes()
    try:
        path.write_bytes(_spoilt(body, rng))
        snapshot.table(name)
    finally:
        path.write_bytes(body)


@cache
def _snapshot(folder: Path) -> Path:
    """A snapshot of two invented cities, written once."""
    good.write(folder / "snapshot", good.book())
    return folder / "snapshot"


def _spoilt(body: bytes, rng: random.Random) -> bytes:
    """Bytes changed at the end, anywhere, or cut, or with another length of the footer."""
    whole = bytearray(body)
    how = rng.randrange(4)
    if how == 0:
        for _ in range(rng.randint(1, 8)):
            whole[-rng.randint(1, min(200, len(whole)))] = rng.randrange(256)
    elif how == 1:
        whole[rng.randrange(len(whole))] ^= 0xFF
    elif how == 2:
        del whole[rng.randrange(len(whole)) :]
    else:
        whole[-8:-4] = rng.choice([0, 1, 2**31 - 1, 2**32 - 1]).to_bytes(4, "little")
    return bytes(whole)


def _archive(rng: random.Random, folder: Path) -> None:
    """A web archive that is cut, garbled, no archive, or whose page has such an address."""
    body = f"<p>{hostile_text(rng)}</p>".encode(errors="replace")
    address = hostile_text(rng).replace("\n", "").replace("\r", "")
    head = (
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI:"
        f" http://127.0.0.1/{address}\r\nWARC-Date: 2025-01-01T00:00:00Z\r\nContent-Type:"
        " text/html\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Length:"
        f" {rng.choice([len(body), 0, 10**9, -1])}\r\n\r\n"
    ).encode(errors="replace")
    record = head + body + b"\r\n\r\n"
    is_packed = rng.random() < 0.5
    packed = gzip.compress(record, mtime=0) if is_packed else record
    if rng.random() < 0.5:
        packed = _spoilt(packed, rng)
    path = folder / ("a.warc.gz" if is_packed else "a.warc")
    path.write_bytes(packed)
    for item in read_collection([path]):
        assert not Path(item.path).is_absolute()
        assert ".." not in Path(item.path).parts
        item.read()


def _documents(rng: random.Random, folder: Path) -> None:
    """A Parquet file of documents, spoilt, with such names."""
    names = [hostile_text(rng).encode(errors="replace").decode() for _ in range(3)]
    path = folder / "pages.parquet"
    pl.DataFrame({"path": names, "text": names}).write_parquet(path)
    if rng.random() < 0.6:
        path.write_bytes(_spoilt(path.read_bytes(), rng))
    for item in read_collection([path]):
        assert not Path(item.path).is_absolute()
        assert ".." not in Path(item.path).parts


def _readings(rng: random.Random, folder: Path) -> None:
    """Readings that a user brings: lines that are none, names and days of any kind."""
    lines = [
        json.dumps(
            {
                "doc": hostile_text(rng),
                "pois": [{"name": hostile_text(rng), "role": hostile_text(rng)}],
            }
        ),
        json.dumps(
            {
                "doc": "a.md",
                "trajectory": [{"day": rng.choice(NUMBERS), "visits": [hostile_text(rng)]}],
            }
        ),
        hostile_text(rng),
        "[" * 200,
        "{}",
        '{"doc": NaN}',
    ]
    rng.shuffle(lines)
    (folder / "own.jsonl").write_text("\n".join(lines), encoding="utf-8", errors="replace")
    held = read_file(folder / "own.jsonl")
    assert list(held.assign([("d1", "a.md")]).lines) in ([], ["d1"])


def _confusable(rng: random.Random, folder: Path) -> None:
    """Marks without width make no other name; letters that look alike make no city."""
    name = rng.choice(["西湖", "West Lake", "灵隐寺", "Broken Bridge"])
    at = rng.randrange(len(name))
    assert name_key(name[:at] + rng.choice(UNSEEN) + name[at:]) == name_key(name)
    alike = {
        "a": "\u0430",
        "o": "\u043e",
        "e": "\u0435",
        "i": "\u0456",
        "h": "\u04bb",
        "u": "\u057d",
    }
    city = rng.choice(["hangzhou", "suzhou", "beijing", "chengdu"])
    letter = rng.choice([c for c in city if c in alike])
    with pytest.raises(Exception, match=r".") as told:
        find_city(city.replace(letter, alike[letter]))
    raise told.value


KINDS: tuple[Callable[[random.Random, Path], None], ...] = (
    _page, _spreadsheet, _mapping, _sources, _parquet, _archive, _documents, _readings,
)  # fmt: skip
#: Looking for the nearest city takes long.
CASES = [(kind, seed) for kind in KINDS for seed in SEEDS] + [(_confusable, n) for n in range(8)]


@pytest.mark.parametrize(
    ("kind", "seed"), CASES, ids=[f"{kind.__name__.strip('_')}-{seed}" for kind, seed in CASES]
)
def test_a_hostile_file(
    kind: Callable[[random.Random, Path], None], seed: int, tmp_path: Path
) -> None:
    play(kind, seed, tmp_path / "inputs")
