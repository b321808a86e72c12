"""Word lists beside the code: what the loader reads, and what it says of a bad line."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.word_lists import Lists, WordListError

_numbers = itertools.count()
Write = Callable[[str, str], Lists]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Put a file into the lists of a package of its own."""
    name = f"listed{next(_numbers)}"
    folder = tmp_path / name / "lists"
    folder.mkdir(parents=True)
    (tmp_path / name / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def written(file: str, text: str) -> Lists:
        (folder / file).write_text(text, encoding="utf-8")
        return Lists(name)

    yield written
    sys.modules.pop(name, None)


def test_words_stand_in_the_order_of_the_file(write: Write) -> None:
    lists = write("birds.txt", "# Birds\n\n鹤\nsea gull\n")
    assert lists.words("birds") == ("鹤", "sea gull")
    assert lists.either("birds") == "鹤|sea gull"


def test_a_file_is_read_once(write: Write) -> None:
    assert write("birds.txt", "owl\n").words("birds") is write("birds.txt", "crow\n").words("birds")


def test_tables_pairs_and_weights(write: Write) -> None:
    text = "# Weights\nname\tweight\n(bias)\t-1.5\nafter a mark\t0.25\n"
    lists = write("weights.tsv", text)
    assert lists.table("weights") == (("(bias)", "-1.5"), ("after a mark", "0.25"))
    assert lists.pairs("weights") == {"(bias)": "-1.5", "after a mark": "0.25"}
    assert lists.weights("weights") == {"(bias)": -1.5, "after a mark": 0.25}
    wide = write("wide.tsv", "a\tb\tc\n1\t\t3\n1\t2\t3\n")
    assert wide.table("wide") == (("1", "", "3"), ("1", "2", "3"))


@pytest.mark.parametrize(
    ("file", "text", "read", "said"),
    [
        ("a.txt", "owl\ncrow\nowl\n", "words", r"lists/a\.txt, line 3: 'owl' is already on line 1"),
        (
            "a.txt",
            "# Birds\nowl \n",
            "words",
            r"lists/a\.txt, line 2: the line begins or ends with a space",
        ),
        ("a.txt", "# Birds\n\n", "words", r"lists/a\.txt: the file contains only comments"),
        ("b.txt", "owl\n", "words", r"lists/a\.txt: the file does not exist"),
        ("a.tsv", "x\ty\n1\n", "table", r"lists/a\.tsv, line 2: 1 cells instead of 2"),
        (
            "a.tsv",
            "x\ty\n1\t2\n1\t2\n",
            "table",
            r"lists/a\.tsv, line 3: \('1', '2'\) is already on line 2",
        ),
        ("a.tsv", "x\ty\n1\t2\n1\t3\n", "pairs", r"lists/a\.tsv, line 3: '1' is already on line 2"),
        ("a.tsv", "x\ty\tz\n1\t2\t3\n", "pairs", r"lists/a\.tsv, line 2: the line has 3 cells"),
        (
            "a.tsv",
            "x\ty\n# no\n1\tmuch\n",
            "weights",
            r"lists/a\.tsv, line 3: 'much' is not a number",
        ),
        ("a.tsv", "x\ty\n1\tnan\n", "weights", r"lists/a\.tsv, line 2: 'nan' is not a number"),
    ],
)
def test_a_bad_line_is_named(write: Write, file: str, text: str, read: str, said: str) -> None:
    lists = write(file, text)
    with pytest.raises(WordListError, match=said):
        getattr(lists, read)("a")
