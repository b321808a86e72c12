"""A benchmark replaces its own section on the page that has it, and nothing else."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report import write_section


def _pages(folder: Path) -> Path:
    (folder / "gates.md").write_text("# Gates\n\nA lead.\n\n## First\n\nold\n\n## Second\n\nkept\n")
    (folder / "running.md").write_text("# Speed\n\n## Third\n\nkept too\n")
    return folder


def test_a_section_is_replaced_where_it_stands(tmp_path: Path) -> None:
    pages = _pages(tmp_path)
    write_section("First", "python -m it", "new figures", pages)
    text = (pages / "gates.md").read_text("utf-8")
    assert text.startswith("# Gates\n\nA lead.\n\n## First\n\nThese figures were measured on ")
    assert "```sh\npython -m it\n```\n\nnew figures\n\n## Second\n\nkept\n" in text
    assert "old" not in text
    assert (pages / "running.md").read_text("utf-8") == "# Speed\n\n## Third\n\nkept too\n"


def test_a_new_section_is_added_to_the_last_page(tmp_path: Path) -> None:
    pages = _pages(tmp_path)
    before = (pages / "gates.md").read_text("utf-8")
    write_section("Fourth", "python -m it", "figures", pages)
    assert (pages / "running.md").read_text("utf-8").endswith("\n\nfigures\n")
    assert (pages / "gates.md").read_text("utf-8") == before


def test_long_prose_is_wrapped_but_no_table_heading_or_code(tmp_path: Path) -> None:
    pages = _pages(tmp_path)
    words = " ".join(["well-known"] * 30)
    kept = [f"### {words}", f"| {words} |", f"```sh\n{words}\n```", "x" * 200]
    write_section("First", words, "\n\n".join([words, f"- {words}", *kept]), pages)
    text = (pages / "gates.md").read_text("utf-8").split("## Second")[0]
    prose = " ".join(["well-known"] * 10)
    assert f"\n\n{prose}\n{prose}\n{prose}\n\n" in text
    item = " ".join(["well-known"] * 9)
    assert f"\n\n- {item}\n  {item}\n  {item}\n  " in text
    assert all(f"\n\n{block}\n" in text for block in kept)
