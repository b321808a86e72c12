"""Licences of documents: a list beside them, a licence's file, and what a text is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.licences import licence_address, spdx_name
from sources.web.corpus import read_folder
from sources.web.errors import CorpusError
from sources.web.licences import Licence


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("MIT", "MIT"), ("MIT License\n\nCopyright (c) 2020", "MIT"),
        ("GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007", "GPL-3.0"),
        ("CC BY-NC-SA 4.0", "CC-BY-NC-SA-4.0"), ("cc-by-4.0", "CC-BY-4.0"),
        ("creativecommons.org/licenses/by-sa/3.0", "CC-BY-SA-3.0"),
        ("Attribution-NonCommercial 4.0 International", "CC-BY-NC-4.0"),
        ("Apache License\nVersion 2.0, January 2004", "Apache-2.0"),
        ("CC BY-NC", None), ("all rights reserved", None), ("a walk at MIT", None), ("", None),
    ],
)  # fmt: skip
def test_names(text: str, name: str | None) -> None:
    assert spdx_name(text) == name


def test_addresses() -> None:
    assert licence_address("MIT") == "https://spdx.org/licenses/MIT"
    assert licence_address("ask the town") == "ask the town"


class TestFolders:
    """What holds for a file."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Pages of a site, of a repository, and one of nobody."""
        return _write(
            tmp_path,
            {
                "en.wikivoyage.org/suzhou.md": "# Suzhou",
                "repo/LICENSE": "MIT License\n\nPermission is hereby granted",
                "repo/deep/day.md": "# A day",
                "repo/other/LICENSE.md": "GNU GENERAL PUBLIC LICENSE Version 2, June 1991",
                "repo/other/walk.md": "# A walk",
                "mine.md": "# Mine",
                "LICENSES.csv": (
                    "path,licence,source\nen.wikivoyage.org/*,CC BY-SA 4.0,Wikivoyage\n"
                ),
            },
        )

    def test_by_site_by_file_or_by_nobody(self, root: Path) -> None:
        corpus = read_folder([root])
        found = {file.path_rel: corpus.licence_of(file) for file in corpus.files}
        assert found == {
            "en.wikivoyage.org/suzhou.md": Licence("CC-BY-SA-4.0", "LICENSES.csv", "Wikivoyage"),
            "repo/deep/day.md": Licence("MIT", "repo/LICENSE"),
            "repo/other/walk.md": Licence("GPL-2.0", "repo/other/LICENSE.md"),
            "mine.md": None,
        }

    def test_the_list_goes_before_a_file(self, root: Path) -> None:
        (root / "LICENSES.csv").write_text("path,license\nrepo/deep/*,CC0-1.0\nrepo/*,MIT\n")
        corpus = read_folder([root])
        found = {f.path_rel: held.licence for f in corpus.files if (held := corpus.licence_of(f))}
        assert found == {"repo/deep/day.md": "CC0-1.0", "repo/other/walk.md": "MIT"}

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("file,licence\na,b\n", "LICENSES.csv:1: the file needs the columns path and licence"),
            ("path,licence\na.md,\n", "LICENSES.csv:2: path or licence is empty"),
            ("", "LICENSES.csv:1"), ('path,licence\n"a,b\n', "not CSV"),
        ],
    )  # fmt: skip
    def test_a_bad_list_is_refused(self, root: Path, text: str, words: str) -> None:
        (root / "LICENSES.csv").write_text(text, encoding="utf-8")
        with pytest.raises(CorpusError, match=words):
            read_folder([root])
