"""The page in a real browser: quiet, offline, usable by keyboard, on a phone, in both languages."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from tests.support.flows.report.browser import Browser

pytestmark = pytest.mark.browser

#: WCAG 2 contrast of computed colours, as a function of two selectors' colour and background.
_CONTRAST = """
((front, back) => {
  const probe = document.body.appendChild(document.createElement('span'));
  const channels = (name) => {
    probe.style.color = `var(--${name})`;
    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
    const part = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return [r, g, b].map((c) => part(c / 255));
  };
  const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [a, b] = [light(channels(front)), light(channels(back))].sort((x, y) => y - x);
  probe.remove();
  return (a + 0.05) / (b + 0.05);
})
"""
_NAMELESS = """
[...document.querySelectorAll('a, button, select, input, canvas, [tabindex="0"]')].filter((node) =>
  !(node.getAttribute('aria-label') || node.textContent.trim()
    || node.closest('label')?.textContent.trim())
  && node.tagName !== 'PRE').map((node) => node.outerHTML.slice(0, 80))
"""


@pytest.mark.parametrize(
    ("lang", "theme", "width"), product(("zh", "en"), ("light", "dark"), (1280, 390, 320))
)
def test_quiet_offline_and_no_wider_than_the_screen(
    browser: Browser, page: Path, lang: str, theme: str, width: int
) -> None:
    browser.open(page, f"?lang={lang}&theme={theme}", width=width)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.settle()
    assert browser.problems == []
    assert browser.requests == [f"{page.resolve().as_uri()}?lang={lang}&theme={theme}"]
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('main > section').length") == 12
    assert browser.run("getComputedStyle(document.documentElement).colorScheme") == theme


def test_hostile_texts_are_shown_and_do_nothing(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=zh")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.settle()
    assert browser.run("window.hacked") is None
    assert browser.run("document.querySelectorAll('img, iframe').length") == 0
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert "<img src=x onerror" in browser.run("document.querySelector('#found').textContent")


def test_the_search_works_from_the_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en&city=hangzhou")
    browser.key("/")
    assert browser.run("document.activeElement.id") == "search"
    for letter in "glass":
        browser.key(letter)
    assert browser.run("document.querySelectorAll('#found li').length") == 1
    browser.key("ArrowDown")
    assert (
        browser.run("document.getElementById('search').getAttribute('aria-activedescendant')")
        == "option-0"
    )
    assert (
        browser.run("document.getElementById('option-0').getAttribute('aria-selected')") == "true"
    )
    browser.key("Enter")
    assert browser.run("document.activeElement.textContent") == "Mirror Lake"
    assert "2 documents, 4 mentions" in browser.run(
        "document.querySelector('.details').textContent"
    )
    browser.key("/")
    assert browser.run("document.activeElement.id") == "search"
    assert browser.run("document.querySelector('.details').hidden") is True
    browser.key("Enter")
    browser.key("Escape")
    assert browser.run("document.activeElement.id") == "search"
    assert browser.run("document.querySelector('.details').hidden") is True


def test_a_route_lists_its_stops_and_leads_to_places(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en&city=hangzhou")
    browser.run("document.querySelectorAll('.finder .chip')[1].click()")
    browser.run("document.querySelector('#found li').click()")
    browser.settle()
    assert browser.run("document.querySelectorAll('.details ol li').length") == 2
    assert browser.run(
        "[...document.querySelectorAll('.details ol')].map((list) => list.start)"
    ) == [1, 2]
    told = browser.run("document.querySelector('.details dl').textContent")
    assert "1, and the best one for 1 of them" in told
    assert "1.2 km; shortest route through its stops: 1.2 km" in told
    browser.run("document.querySelector('.details ol .link').click()")
    assert browser.run("document.querySelector('.details h3').textContent") == "Mirror Lake"


def test_language_theme_and_city_change_in_place(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en&theme=light")
    assert browser.run("document.querySelector('h1').textContent") == "Hangzhou, Suzhou"
    before = browser.run("getComputedStyle(document.body).backgroundColor")
    _choose(browser, "city", "suzhou")
    _choose(browser, "lang", "zh")
    _choose(browser, "theme", "dark")
    assert browser.run("document.querySelector('h1').textContent") == "苏州"
    assert browser.run("document.documentElement.lang") == "zh-CN"
    assert browser.run("document.activeElement.id") == "choose-theme"
    assert browser.run("getComputedStyle(document.body).backgroundColor") != before
    assert browser.run("location.search") == "?lang=zh&theme=dark&city=suzhou"
    assert browser.problems == []


def _choose(browser: Browser, key: str, value: str) -> None:
    browser.run(
        f"(() => {{ const box = document.getElementById('choose-{key}'); box.value = '{value}';"
        " box.dispatchEvent(new Event('change')); })()"
    )
    browser.settle()


def test_tables_sort_and_say_so(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en")
    column = "#accounts th:nth-child(4)"
    for expected, first in (("descending", "12"), ("ascending", "10")):
        browser.run(f"document.querySelector('{column} button').click()")
        assert (
            browser.run(f"document.querySelector('{column}').getAttribute('aria-sort')") == expected
        )
        assert (
            browser.run("document.querySelector('#accounts tbody td:nth-child(4)').textContent")
            == first
        )


def test_gates_are_filtered(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en")
    browser.run("document.querySelector('#gates [data-name=failed]').click()")
    rows = browser.run(
        "[...document.querySelectorAll('#gates tbody code')].map((cell) => cell.textContent)"
    )
    assert rows == ["known_share"]
    assert "Passed with warnings" in browser.run("document.querySelector('.verdict').textContent")


def test_the_map_is_drawn_and_answers_pointer_and_keys(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en&theme=light&city=hangzhou")
    browser.run(
        "document.documentElement.style.scrollBehavior = 'auto';"
        " document.getElementById('map').scrollIntoView()"
    )
    browser.settle()
    before = _painted(browser)
    assert len(set(before)) > 10
    browser.run("document.querySelector('canvas').focus()")
    browser.key("ArrowRight")
    assert _painted(browser) != before
    browser.key("0")
    assert _painted(browser) == before
    # Mirror Lake stands at one corner of the two places, the temple at the other.
    x, y = _spot(browser, "--cat-5")
    browser.click(x, y)
    assert "onerror" in browser.run("document.querySelector('.details').textContent")


def _painted(browser: Browser) -> list[int]:
    """Sums of the pixels of the canvas' rows."""
    found: list[int] = browser.run("""(() => { const canvas = document.querySelector('canvas');
        const pen = canvas.getContext('2d');
        const { data, width } = pen.getImageData(0, 0, canvas.width, canvas.height);
        const rows = []; data.forEach((value, at) => { const row = Math.floor(at / width / 4);
        rows[row] = (rows[row] || 0) + value; }); return rows; })()""")
    return found


def _spot(browser: Browser, variable: str) -> tuple[float, float]:
    """Middle of the pixels of a colour on the canvas, in the window's coordinates."""
    spot: dict[str, Any] = browser.run(
        f"""(() => {{ const canvas = document.querySelector('canvas');
        const probe = document.body.appendChild(document.createElement('span'));
        probe.style.color = 'var({variable})';
        const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number); probe.remove();
        const pen = canvas.getContext('2d');
        const {{ data, width }} = pen.getImageData(0, 0, canvas.width, canvas.height);
        let [x, y, n] = [0, 0, 0];
        for (let at = 0; at < data.length; at += 4) {{
          const far = (part, want) => Math.abs(data[at + part] - want);
          if (far(0, r) + far(1, g) + far(2, b) < 40) {{
            x += (at / 4) % width; y += Math.floor(at / 4 / width); n += 1; }} }}
        const box = canvas.getBoundingClientRect();
        return {{ x: box.left + x / n, y: box.top + y / n }}; }})()"""
    )
    return spot["x"], spot["y"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_contrast(browser: Browser, page: Path, theme: str) -> None:
    browser.open(page, f"?theme={theme}")
    for front, back in product(
        ("text", "muted", "accent", "good", "warn", "bad"), ("paper", "surface")
    ):
        assert browser.run(f"{_CONTRAST}('{front}', '{back}')") >= 4.5, (front, back)
    for at, back in product(range(7), ("map", "surface")):
        assert browser.run(f"{_CONTRAST}('cat-{at}', '{back}')") >= 3, (at, back)
    for at in range(7):
        assert browser.run(f"{_CONTRAST}('day-{at}', 'surface')") >= 4.5, at


def test_everything_that_takes_focus_has_a_name(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.run(_NAMELESS) == []
    assert browser.run("document.querySelectorAll('section:not([aria-labelledby])').length") == 0
    levels = browser.run(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_tab_reaches_the_content_first_by_the_skip_link(browser: Browser, page: Path) -> None:
    browser.open(page, "?lang=en")
    browser.key("Tab")
    assert browser.run("document.activeElement.id") == "skip"
    browser.key("Enter")
    assert browser.run("document.activeElement.id") == "main"
