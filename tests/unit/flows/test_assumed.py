"""Which city a folder states."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.pipeline.jobs import assume_cities, corpus_jobs
from flows.pipeline.request import make_inputs
from flows.pipeline.run import list_documents
from schemas.cities import find_city
from sources.web.corpus import read_folder

SUZHOU, LYON, BEIJING = (find_city(name) for name in ("suzhou", "lyon", "beijing"))


def write(root: Path, **pages: str) -> Path:
    for path, text in pages.items():
        file = root / path.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".md").write_text(text, encoding="utf-8")
    return root


def by_path(root: Path, *cities: str) -> dict[str, str]:
    listed = read_folder([root])
    stated = assume_cities(listed, [find_city(name) for name in cities])
    return {f.path_rel: stated[f.doc_id] for f in listed.files if f.doc_id in stated}


def test_one_city_has_every_document(tmp_path: Path) -> None:
    root = write(tmp_path, lyon__a="a", b="b")
    assert by_path(root, "suzhou") == {"lyon/a.md": SUZHOU.city_id, "b.md": SUZHOU.city_id}


def test_with_several_the_nearest_folder_with_a_name_decides(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        suzhou__a="a",
        苏州市__2025__b="b",
        LYON__c="c",
        lyon__Suzhou__d="d",
        notes__e="e",
        f="f",
        lyon_guides__g="g",
    )
    assert by_path(root, "suzhou", "lyon") == {
        "suzhou/a.md": SUZHOU.city_id, "苏州市/2025/b.md": SUZHOU.city_id,
        "LYON/c.md": LYON.city_id, "lyon/Suzhou/d.md": SUZHOU.city_id,
    }  # fmt: skip


def test_folders_that_are_given_count_by_their_own_names(tmp_path: Path) -> None:
    roots = [write(tmp_path / "lyon" / "suzhou", a="a"), write(tmp_path / "lyon", b="b")]
    listed = read_folder(roots[:1])
    assert set(assume_cities(listed, [SUZHOU, LYON]).values()) == {SUZHOU.city_id}


def test_a_document_in_the_folders_of_two_cities_is_stated_of_none(tmp_path: Path) -> None:
    root = write(tmp_path, suzhou__a="same", lyon__a="same", lyon__b="b")
    assert by_path(root, "suzhou", "lyon") == {"lyon/b.md": LYON.city_id}


def test_jobs_of_buckets_hold_what_is_stated(tmp_path: Path) -> None:
    root = write(tmp_path, suzhou__a="a", lyon__b="b", c="c")
    inputs = make_inputs(["suzhou", "lyon"], [root], assume_city=True)
    jobs = corpus_jobs(inputs, list_documents(inputs))
    stated = {doc_id: city for job in jobs for doc_id, city in job.extra["assumed"].items()}
    assert sorted(stated.values()) == sorted([SUZHOU.city_id, LYON.city_id])
    for job in jobs:
        assert set(job.extra["assumed"]) <= {file.doc_id for file in job.extra["files"]}
    plain = make_inputs(["suzhou", "lyon"], [root])
    assert not any(job.extra["assumed"] for job in corpus_jobs(plain, list_documents(plain)))


def test_folders_of_no_city_are_an_error(tmp_path: Path) -> None:
    root = write(tmp_path, notes__a="a")
    inputs = make_inputs(["suzhou", "lyon"], [root], assume_city=True)
    with pytest.raises(SettingsError, match="no folder of documents is named after a city"):
        list_documents(inputs)
    with pytest.raises(SettingsError, match="give one with --documents"):
        make_inputs(["suzhou"], tables=tmp_path, profile="tables", assume_city=True)
