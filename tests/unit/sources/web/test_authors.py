"""Names of authors: taken from where a document states them, and withheld wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sources.web.corpus import read_folder
from sources.web.main_text import parse
from sources.web.personal_data import find_authors


@pytest.mark.parametrize(
    ("page", "name", "expected"),
    [
        ("---\nauthor: 铁脚板阿柴\n---\n# 西湖\n\n阿柴走了。", "a.md", ("铁脚板阿柴",)),
        ("---\nauthors: [Jane Doe, 王小明]\n---\n# x\n\ntext", "a.md", ("Jane Doe", "王小明")),
        ("---\nauthor: {name: 李雷, url: x}\n---\n# x\n\ntext", "a.md", ("李雷",)),
        ("# 游记\n\n作者：橘子汽水与猫　发布于 2024-04-02\n\n断桥。", "a.md", ("橘子汽水与猫",)),
        ("# A walk\n\nBy Jane Doe\n\nWe saw Tiger Hill.", "a.md", ("Jane Doe",)),
        ("<html><head><meta name='author' content='Jane Doe'></head><body><p>Some text of a walk"
         "</p></body></html>", "a.html", ("Jane Doe",)),
        ("# x\n\n作者：6号线之江文化中心站", "a.md", ()),
        ("---\nauthor: 杭州日报\n---\n# x\n\ntext", "a.md", ()),
        ("---\nauthor: 杭州\n---\n# x\n\ntext", "a.md", ()),
        ("# x\n\nBy boat we went to the lake.\nBy Bus 7.", "a.md", ()),
        ("# x\n\n作者：██\n\n文化: 很好", "a.md", ()),
        ("# x\n\n大家好，我叫王小明，住在杭州。", "a.md", ("王小明",)),
        ("# x\n\nHi, my name is Jane Doe and I walk.", "a.md", ("Jane Doe",)),
        ("# x\n\n我叫了辆车，又我叫黄包车夫慢走。我叫上朋友，去西湖。", "a.md", ()),
        ("# x\n\nThe words by heart. My name is on the list.", "a.md", ()),
    ],
)  # fmt: skip
def test_who_wrote_it(page: str, name: str, expected: tuple[str, ...]) -> None:
    assert find_authors(parse(page.encode(), name)) == expected


def test_the_name_stands_nowhere_and_offsets_hold(tmp_path: Path) -> None:
    text = "---\nauthor: 王小明\n---\n# 王小明的杭州\n\n王小明游览西湖。Janet met 王小明 again.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    corpus = read_folder([tmp_path])
    loaded = corpus.load_with_meta(corpus.files[0])
    assert "王小明" not in loaded.document.text + loaded.document.title
    assert loaded.masked["name"] >= 2
    assert "███游览西湖。" in loaded.document.text
    assert loaded.document.title == "███的杭州"
