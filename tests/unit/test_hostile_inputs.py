"""Hostile inputs from outside: no crash, no execution, no read outside the inputs.

Each case is its seed: the same seed is the same input on every machine, so a case that once failed
stays. A reader may refuse an input by an error that tells the user what to do; nothing else.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.review.forms import COLUMNS, write_csv
from flows.settings.checks import check_cron, check_time_zone
from flows.settings.profile import load_profile
from schemas.cells import cell_text
from schemas.cities import find_city
from schemas.city_names import split_names
from sources.tables.tripbed_csv import read_tripbed
from sources.web.corpus import read_folder
from tests.support.hostile import CANARY, NUMBERS, hostile_text, play
from warehouse.manifest import read_manifest

SEEDS = range(40)


def _table(rng: random.Random, folder: Path) -> None:
    """A gazetteer of such names, numbers and hours."""
    header = ["id", "name_zh", "name_en", "aliases", "lat", "lon", "opening_hours", "price_cny"]
    with (folder / "gazetteer.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        for _ in range(3):
            number = [rng.choice(NUMBERS) for _ in range(2)]
            writer.writerow(
                [hostile_text(rng) for _ in range(4)]
                + number
                + [hostile_text(rng), rng.choice(NUMBERS)]
            )
    found = read_tripbed(folder, find_city("hangzhou"))
    located = found.attractions.drop_nulls(["lat", "lon"])
    assert located["lat"].is_between(-90, 90).all()
    assert located["lon"].is_between(-180, 180).all()


def _document(rng: random.Random, folder: Path) -> None:
    """A page, its front matter, and a link that leads out of the folder."""
    outside = folder.parent / f"{folder.name}-outside.md"
    outside.write_text(f"# {CANARY}", encoding="utf-8")
    (folder / "link.md").symlink_to(outside)
    page = (
        f"---\ntitle: {hostile_text(rng)}\nauthor: {hostile_text(rng)}\nlicense:"
        f" {hostile_text(rng)}\n---\n# {hostile_text(rng)}\n\n{hostile_text(rng)}\n"
    )
    form = rng.choice(["a.md", "a.html", "a.txt"])
    (folder / form).write_text(page, encoding="utf-8", errors="surrogatepass")
    corpus = read_folder([folder])
    assert [file.path_rel for file in corpus.files] == [form]
    loaded = corpus.load_with_meta(corpus.files[0])
    assert CANARY not in loaded.document.text


def _licences(rng: random.Random, folder: Path) -> None:
    """A list of licences, and what of it stands in the card."""
    (folder / "a.md").write_text("# a page", encoding="utf-8")
    with (folder / "LICENSES.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(
            [["path", "licence"], [hostile_text(rng), hostile_text(rng)], ["*", hostile_text(rng)]]
        )
    corpus = read_folder([folder])
    held = corpus.licence_of(corpus.files[0])
    told = cell_text(held.licence) if held else ""
    assert not set("|<>[]`\n\r\u202e\u200b") & set(told)
    assert len(told) <= 200


def _profile(rng: random.Random, folder: Path) -> None:
    """A profile whose YAML has tags, anchors and whatever else."""
    mark = folder / CANARY
    text = rng.choice(
        [
            f"name: !!python/object/apply:os.system ['touch {mark}']\n",
            f"name: !!python/object/new:os.system ['touch {mark}']\n",
            f"name: x\nfamilies: [{hostile_text(rng)}]\n",
            f"{hostile_text(rng)}: {hostile_text(rng)}\n",
            f"name: x\ncandidates: {{per_query: {rng.choice(NUMBERS)}}}\n",
            hostile_text(rng),
        ]
    )
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        load_profile(str(path))
    finally:
        assert not mark.exists()


def _manifest(rng: random.Random, folder: Path) -> None:
    """A manifest whose paths lead elsewhere."""
    entry = {"path": f"data/pois/{hostile_text(rng)}", "sha256": "0" * 64, "bytes": 1, "rows": 1}
    held = {
        "schema_version": rng.choice(["2.0", hostile_text(rng)]),
        "cities": [hostile_text(rng)],
        "settings": {},
        "ingredients": {},
        "tables": {"pois": {"rows": 1, "files": [entry]}},
    }
    (folder / "manifest.json").write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(Exception, match=r".") as told:
        read_manifest(folder)
    raise told.value


def _review(rng: random.Random, folder: Path) -> None:
    """A sheet for reviewers: no cell of it is a formula."""
    row = {name: hostile_text(rng) for name in COLUMNS}
    write_csv([row], folder / "review.csv")
    text = (folder / "review.csv").read_text(encoding="utf-8-sig")
    for cell in next(csv.DictReader(io.StringIO(text, newline=""))).values():
        assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r")


def _option(rng: random.Random, folder: Path) -> None:
    """Options of the command line."""
    text = hostile_text(rng)[:200]
    assert all(name.strip() for name in split_names(text))
    for check in (check_cron, check_time_zone):
        with pytest.raises(SettingsError):
            check(text)


def _notice(rng: random.Random, folder: Path) -> None:
    """What of others stands in a line of the card."""
    told = cell_text(" ".join(hostile_text(rng) for _ in range(5)))
    assert not set("|<>[]`\n\r\x1b\x00\u202e\u2066\u200b\ufeff") & set(told)


KINDS: tuple[Callable[[random.Random, Path], None], ...] = (
    _table, _document, _licences, _profile, _manifest, _review, _option, _notice,
)  # fmt: skip


def test_there_are_enough_of_them() -> None:
    assert len(KINDS) * len(SEEDS) >= 300


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.strip("_"))
@pytest.mark.parametrize("seed", SEEDS)
def test_a_hostile_input(
    kind: Callable[[random.Random, Path], None], seed: int, tmp_path: Path
) -> None:
    play(kind, seed, tmp_path / "inputs")
