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
    assert text.startswith("# Gates\n\nA lead.\n\n## First\n\nMeasured on ")
    assert "```sh\npython -m it\n```\n\nnew figures\n\n## Second\n\nkept\n" in text
    assert "old" not in text
    assert (pages / "running.md").read_text("utf-8") == "# Speed\n\n## Third\n\nkept too\n"


def test_a_new_section_is_added_to_the_last_page(tmp_path: Path) -> None:
    pages = _pages(tmp_path)
    before = (pages / "gates.md").read_text("utf-8")
    write_section("Fourth", "python -m it", "figures", pages)
    assert (pages / "running.md").read_text("utf-8").endswith("\n\nfigures\n")
    assert (pages / "gates.md").read_text("utf-8") == before
