"""Addresses and the folders that stand for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.places import StorageError, address_of, find_folder, show_path
from storage.places import scratch as scratch_folder


@pytest.mark.parametrize(
    "address", ["s3://bucket", "s3://bucket/a/b", "file:///tmp/x", "memory://a"]
)
def test_a_folder_of_the_scratch_folder_is_an_address(address: str, scratch: Path) -> None:
    folder = find_folder(address)
    assert address_of(folder) == address
    assert show_path(folder / "s0123") == f"{address}/s0123"
    assert scratch in folder.parents
    assert find_folder(str(folder)) == folder  # as another process is told of it


def test_other_folders_are_themselves(scratch: Path, tmp_path: Path) -> None:
    for path in (tmp_path, Path("snapshots"), Path("a:b"), scratch):
        assert (find_folder(path), address_of(path), show_path(path)) == (path, None, str(path))
    assert address_of(scratch_folder()) is None


@pytest.mark.parametrize(
    "address",
    ["s3://AKIDOFATEST:secret-of-a-test@bucket/x", "s3://bucket/x?key=secret-of-a-test",
     "simplecache::s3://bucket/x", "s3://", "s3:///", "s3://bucket/../other", "s3://bucket//x"],
)  # fmt: skip
def test_an_address_is_a_bucket_and_a_path(address: str, scratch: Path) -> None:
    if address.startswith("simplecache"):
        assert address_of(find_folder(address)) is None
        return
    with pytest.raises(StorageError, match="an address") as told:
        find_folder(address)
    assert "secret-of-a-test" not in str(told.value)


def test_a_scratch_folder_of_somebody_else_is_refused(scratch: Path, tmp_path: Path) -> None:
    scratch_folder().symlink_to(tmp_path)
    with pytest.raises(StorageError, match="TMPDIR"):
        find_folder("s3://bucket/x")
