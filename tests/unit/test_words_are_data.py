"""Words and learned weights are data files: no module of ours is a list of either.

What counts is what stands in the code as a literal: strings or floats in one collection, words in
one string, plain words that one group of a regular expression chooses among. A call declares
something where it is given a type, a function or an explanation in words, as the fields of the
schema are: what it is given counts for nothing here, nor do the names of our own tables, fields and
stages, wherever they stand. A text of sentences is no list either.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from schemas.fields import FIELDS
from schemas.tables import TABLES
from schemas.taxonomy import STAGES
from schemas.word_lists import FOLDER, Lists
from tests.conftest import ROOT

ROOMS = (
    "schemas", "queries", "sources", "extractors", "geocoding", "warehouse", "validators", "flows",
    "benchmarks",
)  # fmt: skip
#: More than so many in one place are a list.
MOST_STRINGS, MOST_FLOATS, MOST_WORDS, MOST_ALTERNATIVES = 40, 20, 40, 24

_DECLARED = frozenset({*TABLES, *FIELDS, *STAGES})
_DISPLAYS = (ast.Dict, ast.Set, ast.List, ast.Tuple)
_WORD = re.compile(r"[\w'’,=:/-]+")
_PLAIN = re.compile(r"[\w '’-]+")
_SENTENCE = re.compile(r"[.!?](?:\s|$)|[。！？]")
_MARKUP = re.compile(r"[();<>]")
#: An explanation has this many words or more.
_LEAST_EXPLAINED = 4
_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:P<\w+>|[:=!]|<[=!]))?|\)|\|", re.S)


def lists_in(code: str) -> Iterator[tuple[int, str]]:
    """Line and size of each list that stands in a module."""
    tree = ast.parse(code)
    inner: set[ast.AST] = {*_docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, _DISPLAYS) and node not in inner:
            inner.update(n for n in ast.walk(node) if isinstance(n, _DISPLAYS))
            held = [*_literals(node)]
            strings = sum(isinstance(value, str) and value not in _DECLARED for value in held)
            if strings > MOST_STRINGS:
                yield node.lineno, f"{strings} strings"
            if (floats := sum(isinstance(value, float) for value in held)) > MOST_FLOATS:
                yield node.lineno, f"{floats} floats"
        elif isinstance(node, ast.JoinedStr):
            inner.update(node.values)
            parts = (str(v.value) if isinstance(v, ast.Constant) else "\0" for v in node.values)
            yield from _of_text("".join(parts), node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            yield from _of_text(node.value, node.lineno)


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _literals(node: ast.AST) -> Iterator[object]:
    """Strings and floats of a collection; of calls in it those that hold nothing but literals."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant):
            yield child.value
        elif isinstance(child, ast.Call):
            yield from _of_call(child)
        elif isinstance(child, (*_DISPLAYS, ast.Starred, ast.BinOp, ast.UnaryOp)):
            yield from _literals(child)


def _of_call(call: ast.Call) -> Iterator[object]:
    """What a call holds, unless it declares something."""
    given = (*call.args, *(word.value for word in call.keywords))
    if all(_is_literal(value) for value in given):
        held = [*_literals(ast.Tuple(elts=[*given]))]
        texts = (value for value in held if isinstance(value, str))
        if all(len(text.split()) < _LEAST_EXPLAINED for text in texts):
            yield from held


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _of_text(text: str, line: int) -> Iterator[tuple[int, str]]:
    words = text.split()
    plain_text = _MARKUP.search(text) is None
    if (
        plain_text
        and len(words) > MOST_WORDS
        and len(_SENTENCE.findall(text)) * MOST_WORDS < len(words)
    ):
        plain = sum(bool(_WORD.fullmatch(word)) for word in words)
        if plain > 0.9 * len(words):
            yield line, f"{len(words)} words in a string"
    most = max(map(_plain_words, _groups(text)), default=0)
    if most > MOST_ALTERNATIVES:
        yield line, f"{most} words to choose among in a pattern"


def _plain_words(alternatives: list[str]) -> int:
    return sum(bool(_PLAIN.fullmatch(one)) for one in alternatives)


def _groups(pattern: str) -> list[list[str]]:
    """The alternatives of each group of a regular expression, and of the whole."""
    done: list[list[str]] = []
    open_groups: list[tuple[list[str], int]] = [([], 0)]
    for sign in _GROUP.finditer(pattern):
        alternatives, start = open_groups[-1]
        if sign[0].startswith("("):
            open_groups.append(([], sign.end()))
        elif sign[0] == "|":
            alternatives.append(pattern[start : sign.start()])
            open_groups[-1] = (alternatives, sign.end())
        elif sign[0] == ")" and len(open_groups) > 1:
            done.append([*alternatives, pattern[start : sign.start()]])
            open_groups.pop()
    return [*done, *([*found, pattern[start:]] for found, start in open_groups)]


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_no_module_is_a_list(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {size}; put them into a file in `{FOLDER}/`"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, size in lists_in(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def _many(number: int) -> list[str]:
    return [f"w{i}" for i in range(number)]


_CHOICE = "|".join(_many(25))


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        (f"X = {_many(41)}", ["41 strings"]),
        (f"X = {_many(40)}", []),
        (f"X = dict(a=[{{'b': {_many(20)}, 'c': {_many(20)}}}])", ["42 strings"]),
        (f"X = {[i + 0.5 for i in range(21)]}", ["21 floats"]),
        ("X = [" + "Term('a', 'b', ('c', 'd')), " * 11 + "]", ["44 strings"]),
        ("X = [" + "Field('a', TEXT, 'what it is'), " * 90 + "]", []),
        ("X = [" + "Field('a', 'which place it is of'), " * 90 + "]", []),
        (f"X = '{'word ' * 41}'.split()", ["41 words in a string"]),
        (f"X = 'It is told in words.{' And it goes on.' * 20}'", []),
        (f'"""{"word " * 90}"""', []),
        (f"X = r'a(?:{_CHOICE})b'", ["25 words to choose among in a pattern"]),
        (f"X = rf'(?:{{Y}}|{_CHOICE})'", ["25 words to choose among in a pattern"]),
        (f"X = r'a(?:{_CHOICE[3:]})b|[(|)]'", []),
        (f"X = r'{'|'.join(f'[a|b]{i}' for i in range(50))}'", []),
    ],
)
def test_what_a_list_is(code: str, sizes: list[str]) -> None:
    assert [size for _, size in lists_in(code)] == sizes


@cache
def _files() -> tuple[Path, ...]:
    return tuple(
        path
        for room in ROOMS
        for ending in ("txt", "tsv")
        for path in sorted((ROOT / room).rglob(f"{FOLDER}/*.{ending}"))
        if "sample" not in path.parts
    )


def test_every_list_is_read_and_used() -> None:
    """Each file is sound, and the code beside it asks for it by its name."""
    assert len(_files()) > 50
    for path in _files():
        package = path.parent.parent
        lists = Lists(".".join(package.relative_to(ROOT).parts))
        read = {".txt": lists.words, ".tsv": lists.table}[path.suffix]
        assert read(path.stem), path
        code = "".join(module.read_text(encoding="utf-8") for module in package.glob("*.py"))
        assert re.search(rf"""["']{path.stem}["']""", code), f"{path} is not used beside it"
