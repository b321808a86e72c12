"""A build that fails: one line on the terminal, the libraries' words in the log,
no empty folders.
"""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest

from flows.pipeline.folders import no_empty_folders
from flows.pipeline.log import FOLDER, LIBRARIES, library_lines
from tests.support.flows import running
from tests.support.flows.running import run


def _folders(root: Path) -> list[str]:
    """Folders below that hold no file, at any depth."""
    below = [path for path in root.rglob("*") if path.is_dir()]
    return [str(path) for path in below if not any(p.is_file() for p in path.rglob("*"))]


class TestFolders:
    """What a build that failed leaves."""

    def test_a_refused_build_leaves_nothing(self, small: running.Inputs, tmp_path: Path) -> None:
        for page in small.documents.iterdir():
            page.unlink()
        places = ["--workspace", tmp_path / "a" / "work", "--out", tmp_path / "b" / "out"]
        for options in (["--direct"], []):
            outcome = run("build", *small.options(), *places, *options)
            assert outcome.code == 2
            assert not (tmp_path / "a").exists()
            assert not (tmp_path / "b").exists()

    @pytest.mark.parametrize("command", ["build", "publish", "resolve", "tag"])
    def test_a_failed_build_leaves_no_empty_folder(
        self, command: str, small: running.Inputs, tmp_path: Path
    ) -> None:
        (small.tables / "gazetteer.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        place = tmp_path / "made"
        options = ["--workspace", place / "work", "--out", place / "out"]
        options += ["--direct"] if command == "build" else []
        outcome = run(command, *small.options(), *options)
        assert outcome.code == 2
        assert _folders(place) == []
        assert not (place / "out").exists()

    def test_what_was_there_stays(self, tmp_path: Path) -> None:
        """An empty folder of the user's, and what was finished."""
        (tmp_path / "mine").mkdir()

        def work() -> None:
            (tmp_path / "new" / "empty" / "er").mkdir(parents=True)
            (tmp_path / "new" / "full").mkdir()
            (tmp_path / "new" / "full" / "rows").write_text("rows", encoding="utf-8")
            raise RuntimeError

        with pytest.raises(RuntimeError), no_empty_folders(tmp_path / "mine", tmp_path / "new"):
            work()
        assert (tmp_path / "mine").is_dir()
        assert sorted(path.name for path in (tmp_path / "new").rglob("*")) == ["full", "rows"]


class TestLibraries:
    """What libraries log."""

    def test_debug_lines_go_to_the_log(self, tmp_path: Path) -> None:
        shown = io.StringIO()
        terminal = logging.StreamHandler(shown)
        root, library = logging.getLogger(), logging.getLogger("a library")
        library.setLevel(logging.DEBUG)
        root.addHandler(terminal)
        try:
            with library_lines(tmp_path, unsaid=["quiet"]):
                library.debug("building an index")
                library.warning("look out")
                logging.getLogger("quiet.part").error("told by the command")
            library.info("afterwards")
        finally:
            root.removeHandler(terminal)
        assert shown.getvalue() == "look out\nafterwards\n"
        log = (tmp_path / LIBRARIES).read_text(encoding="utf-8")
        assert [line.split(" ", 3)[3] for line in log.splitlines()] == [
            "a library building an index", "a library look out", "quiet.part told by the command",
        ]  # fmt: skip

    @pytest.mark.usefixtures("without_extras")
    def test_a_build_writes_them_beside_its_runs(
        self, small: running.Inputs, tmp_path: Path
    ) -> None:
        options = running.build_options(tmp_path / "work", tmp_path / "out")
        outcome = run("build", *small.options(), *options)
        assert outcome.code == 0
        assert "DEBUG" not in outcome.err + outcome.out
        assert "bm25s" in (tmp_path / "work" / FOLDER / LIBRARIES).read_text(encoding="utf-8")
