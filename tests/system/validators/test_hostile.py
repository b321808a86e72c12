"""Snapshots made to do harm: each ends in an error that names the file, in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import ROOT
from tests.counterexamples import good
from tests.counterexamples.good import A
from validators.validate import Verdict, validate
from warehouse.candidate import partition_path
from warehouse.errors import SnapshotError
from warehouse.manifest import file_sha256

TEN_GB = 10 * 1024**3
#: What validation of the good snapshot needs, and some: megabytes of resident memory.
MOST_MB = 900
TABLE = "evidence"
FILE = partition_path(TABLE, A.slug)


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "made"
    good.write(path, good.book())
    return path


def varint(value: int) -> bytes:
    """A positive integer as Thrift's compact protocol writes it (zigzag, seven bits a byte)."""
    left, made = value * 2, bytearray()
    while left >= 0x80:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    made.append(left)
    return bytes(made)


def forge(path: Path, claims: dict[int, int]) -> None:
    """Give sizes in a Parquet footer other values; the rest of the file stays as it is."""
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    data, footer = content[: -8 - length], content[-8 - length : -8]
    for real, claimed in claims.items():
        assert footer.count(varint(real)) >= 1
        footer = footer.replace(varint(real), varint(claimed))
    path.unlink()
    path.write_bytes(data + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _sizes(path: Path) -> tuple[int, int, int]:
    """Bytes of the row group, of its largest column unpacked, and of that column packed."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    largest = max(columns, key=lambda column: column.total_uncompressed_size)
    return group.total_byte_size, largest.total_uncompressed_size, largest.total_compressed_size


def _whole_group(path: Path) -> None:
    group, _, _ = _sizes(path)
    forge(path, {group: TEN_GB})


def _one_chunk(path: Path) -> None:
    """Only the chunk says so; its row group keeps its true size."""
    _, unpacked, _ = _sizes(path)
    forge(path, {unpacked: TEN_GB})


def _packed_chunk(path: Path) -> None:
    """A chunk that claims to reach far beyond the end of its file."""
    _, _, packed = _sizes(path)
    forge(path, {packed: TEN_GB})


def _many_values(path: Path) -> None:
    """A billion rows in a few kilobytes."""
    forge(path, {pq.read_metadata(path).num_rows: 10**9})


def _zip(path: Path) -> None:
    path.unlink()
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("../../escaped.txt", "out")


CHILD = """
import json, re, sys
from pathlib import Path
from validators.validate import validate
from warehouse.errors import SnapshotError
try:
    verdict = validate(Path(sys.argv[1]))
    said = verdict.failures["message"].to_list()
    passed = verdict.passed
except SnapshotError as error:
    said, passed = [str(error)], False
# Not getrusage: its peak holds what the parent needed before this process was started.
status = Path("/proc/self/status").read_text()
peak = int(re.search("VmHWM:\\s+(\\d+) kB", status)[1]) // 1024
print(json.dumps({"passed": passed, "said": said, "peak_mb": peak}))
"""


@pytest.mark.parametrize(
    "forged",
    [_whole_group, _one_chunk, _packed_chunk, _many_values, _zip],
    ids=lambda f: f.__name__,
)
def test_a_forged_file_is_refused_in_bounded_memory(
    snapshot: Path, forged: Callable[[Path], None]
) -> None:
    forged(snapshot / FILE)
    _true_manifest(snapshot)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(snapshot)],
        check=False, capture_output=True, text=True, timeout=60, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    told = json.loads(done.stdout)
    assert not told["passed"]
    assert any(
        TABLE in said or "cannot be read" in said or "claim" in said for said in told["said"]
    )
    assert told["peak_mb"] < MOST_MB
    assert not (snapshot.parent / "escaped.txt").exists()


def _true_manifest(snapshot: Path) -> None:
    """Checksum and size of the forged file, as its maker would write them."""
    manifest = json.loads((snapshot / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["tables"][TABLE]["files"]:
        if entry["path"] == FILE:
            path = snapshot / FILE
            entry |= {"sha256": file_sha256(path), "bytes": path.stat().st_size}
    (snapshot / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    "path",
    ["../outside.parquet", "/etc/passwd", "data/../../outside.parquet", "data/pois/../../../x"],
)
def test_a_manifest_that_leads_outside(snapshot: Path, path: str) -> None:
    manifest = json.loads((snapshot / "manifest.json").read_text(encoding="utf-8"))
    manifest["tables"][TABLE]["files"][0]["path"] = path
    (snapshot / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(SnapshotError, match="path"):
        validate(snapshot)


def _failed(verdict: Verdict) -> set[str]:
    return set(verdict.failures["gate_id"])


def test_a_link_out_of_the_snapshot(snapshot: Path, tmp_path: Path) -> None:
    """What lies behind it is not read, were it the true file itself."""
    outside = tmp_path / "outside.parquet"
    (snapshot / FILE).rename(outside)
    (snapshot / FILE).symlink_to(outside)
    verdict = validate(snapshot)
    assert not verdict.passed
    assert _failed(verdict) == {"files"}


def test_a_folder_that_is_a_link(snapshot: Path, tmp_path: Path) -> None:
    folder = (snapshot / FILE).parent
    folder.rename(tmp_path / "outside")
    folder.symlink_to(tmp_path / "outside")
    verdict = validate(snapshot)
    assert not verdict.passed
    assert _failed(verdict) == {"files"}
