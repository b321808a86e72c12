"""ChinaTravel's calls as texts: read without running anything."""

from __future__ import annotations

import pytest

from flows.agents.chinatravel_commands import read_command
from warehouse.errors import SandboxError


def test_a_call_with_plain_values() -> None:
    found = read_command("attractions_nearby('上海', '上海迪士尼度假区', topk=5, dist=-2.5)")
    assert (found.name, found.arguments) == ("attractions_nearby", ("上海", "上海迪士尼度假区"))
    assert found.named == (("topk", 5), ("dist", -2.5))


@pytest.mark.parametrize(
    ("text", "holds", "fails"),
    [
        ("lambda x: x == '公园'", "公园", "寺庙"),
        ("lambda x: 50 <= x < 100 and x != 60", 50, 60),
        ("lambda price: price in [1, 2] or not price > 0", 0, 3),
        ("lambda x: '湖' in x and x.startswith('西')", "西湖", "东湖"),
        ("lambda x: True", None, ...),
        ("lambda x: x is not None", 1, None),
    ],
)
def test_a_filter(text: str, holds: object, fails: object) -> None:
    test = read_command(f"attractions_select('杭州', 'type', {text})").arguments[2]
    assert test(holds) is True
    if fails is not ...:
        assert test(fails) is False


@pytest.mark.parametrize(
    ("text", "name", "result"),
    [
        ("next_page()", "next_page", None),
        ("Results[-1].next_page()", "next_page", -1),
        ("Results[2]", "Results", 2),
    ],
)
def test_results_and_their_pages(text: str, name: str, result: int | None) -> None:
    found = read_command(text)
    assert (found.name, found.result) == (name, result)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('id')",
        "open('/etc/passwd').read()",
        "print(1); print(2)",
        "1 + 1",
        "goto(**{})",
        "goto(*[1])",
        "x = 1",
        "attractions_select('杭州', 'type', lambda x: open(x))",
        "attractions_select('杭州', 'type', lambda x: x.__class__)",
        "f('a' * 10**9)",
        "((((",
        "",
        "attractions_select('杭州', 'type', lambda x: x.format('{0.__class__}'))",
        "attractions_select('杭州', 'type', lambda x, y=[]: x)",
        "[f() for f in ()]",
        "Results['a']",
        "(" * 900 + ")" * 900,
        "f('" + "a" * 3000 + "')",
        "lambda: 1",
        "f(lambda x: y)",
    ],
)
def test_code_is_refused_in_words(text: str) -> None:
    with pytest.raises(SandboxError) as refused:
        read_command(text)
    assert "as Python" in str(refused.value) or "at most 2,000 characters" in str(refused.value)
