"""Reads and writes objects at an address that fsspec can open.

Every error becomes a one-line message. The one-line message never quotes the library's message,
which may contain a secret key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.places import StorageError

#: Error codes of stores if the condition for writing an object is not met.
_REFUSED = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "409", "412"})
_NO_BUCKET = frozenset({"NoSuchBucket", "InvalidBucketName"})
_DENIED = re.compile(r"403|Denied|Forbidden|Credential|AccessKey|Signature|Token|Permission")
_UNREACHABLE = re.compile(r"Connect|Timeout|Endpoint|Unreachable|gaierror|DNS")


@dataclass(frozen=True)
class Stamp:
    """An object in a listing: its size in bytes, a mark that changes with its content, and the time
    of its last change in seconds since 1970.
    """

    size: int
    mark: str
    changed: float


class Remote:
    """The objects at an address. All methods raise StorageError if the address cannot be used."""

    def __init__(self, address: str):
        self.address = address.rstrip("/")

    def read(self, key: str) -> bytes | None:
        """Return the bytes of an object, or None if the object does not exist."""
        with self._translate_errors() as (files, root):
            try:
                found: bytes = files.cat_file(f"{root}/{key}")
            except FileNotFoundError as error:
                if _code(error) in _NO_BUCKET:
                    raise
                return None
            return found

    def write(self, key: str, data: bytes) -> None:
        """Write an object. Readers see either the old or the new content, but never a mixture."""
        with self._translate_errors() as (files, root):
            files.pipe_file(f"{root}/{key}", data)

    def create(self, key: str, data: bytes) -> bool:
        """Write an object if it does not exist; return whether the object now has this content."""
        with self._translate_errors() as (files, root):
            return self._put(files, root, key, data, mode="create")

    def swap(self, key: str, before: bytes | None, data: bytes) -> bool:
        """Replace an object if its content is ``before``, or create it if ``before`` is None.

        Return whether the object now has the new content. On S3, the comparison and the replacement
        are one step. On other stores, the object is read first and written a moment later.
        """
        if before is None:
            return self.create(key, data)
        with self._translate_errors() as (files, root):
            is_s3 = "s3" in files.protocol
            condition = {"IfMatch": files.info(f"{root}/{key}")["ETag"]} if is_s3 else {}
            return self.read(key) == before and self._put(files, root, key, data, **condition)

    def _put(self, files: Any, root: str, key: str, data: bytes, **condition: str) -> bool:
        """Write an object if a condition is met; return whether the object now has this content."""
        try:
            files.pipe_file(f"{root}/{key}", data, **condition)
        except Exception as error:
            if not _is_refused(error):
                raise
            # If the answer to a write was lost, the write is repeated and refused because the
            # object already has the new content.
            return self.read(key) == data
        return True

    def stamps(self, below: str = "") -> dict[str, Stamp]:
        """Map the keys of all objects, or of the objects in a folder, to the objects' stamps."""
        with self._translate_errors() as (files, root):
            found = files.find(f"{root}/{below}".rstrip("/"), detail=True)
            top = f"{files._strip_protocol(root)}/"
            return {
                path.removeprefix(top): _stamp(info)
                for path, info in sorted(found.items())
                if path.startswith(top) and not path.endswith("/")
            }

    def fetch(self, targets: Mapping[str, Path]) -> None:
        """Copy objects to files, several at a time."""
        if not targets:
            return
        with self._translate_errors() as (files, root):
            for path in targets.values():
                path.parent.mkdir(parents=True, exist_ok=True)
            files.get([f"{root}/{key}" for key in targets], [str(p) for p in targets.values()])

    def send(self, files_by_key: Mapping[str, Path]) -> None:
        """Upload files, several at a time."""
        if not files_by_key:
            return
        with self._translate_errors() as (files, root):
            paths = [str(path) for path in files_by_key.values()]
            files.put(paths, [f"{root}/{key}" for key in files_by_key])

    def remove(self, keys: Collection[str]) -> None:
        """Remove the objects with these keys."""
        if not keys:
            return
        with self._translate_errors() as (files, root):
            files.rm([f"{root}/{key}" for key in keys])

    @contextmanager
    def _translate_errors(self) -> Iterator[tuple[Any, str]]:
        """Yield the file system and the folder in it, and turn all errors into StorageError."""
        try:
            yield self._open()
        except StorageError:
            raise
        except Exception as error:  # every storage has its own exceptions
            raise StorageError(f"{self.address} cannot be used: {_why(error)}") from None

    def _open(self) -> tuple[Any, str]:
        """Open the address; fsspec keeps one file system per address and process."""
        try:
            # Needed only for addresses, and installed only with the extra ``cluster``.
            from fsspec.core import url_to_fs
        except ImportError:
            raise StorageError(
                "addresses need additional packages: run pip install 'tripbed[cluster]'"
            ) from None
        local = self.address.startswith(("file://", "local://"))
        # Listings must not be cached, because other machines write to the same address.
        options = {"auto_mkdir": True} if local else {"use_listings_cache": False}
        files, root = url_to_fs(self.address, **options)
        return files, root


def _stamp(info: Mapping[str, Any]) -> Stamp:
    changed = info.get("LastModified") or info.get("mtime") or info.get("created") or 0.0
    seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed)
    size = int(info.get("size") or 0)
    return Stamp(size, str(info.get("ETag") or f"{size} {seconds}"), seconds)


def _code(error: BaseException) -> str:
    """Return the store's own code for an error, or an empty string."""
    said = getattr(error.__cause__ or error, "response", None) or {}
    return str(said.get("Error", {}).get("Code", ""))


def _is_refused(error: Exception) -> bool:
    return isinstance(error, FileExistsError) or _code(error) in _REFUSED


def _why(error: Exception) -> str:
    """Explain an error and what to do about it, without quoting the library's message."""
    code, kind = _code(error), type(error).__name__
    if isinstance(error, ImportError):
        return (
            "a package is missing: run pip install 'tripbed[cluster]', or install the package that"
            " fsspec needs for this kind of address"
        )
    if isinstance(error, ValueError) and "rotocol" in str(error):
        return "no installed package supports this kind of address: check the part before ://"
    if code in _NO_BUCKET or isinstance(error, FileNotFoundError):
        return "there is no such bucket or object: create the bucket, or check the address"
    if isinstance(error, PermissionError) or _DENIED.search(f"{code} {kind}"):
        return f"access is denied ({code or kind}): check the key, its secret and its permissions"
    if _UNREACHABLE.search(kind):
        return (
            f"the server did not answer ({kind}): check the network and AWS_ENDPOINT_URL, then try"
            " again"
        )
    return f"{kind}{f' ({code})' if code else ''}: check the address and its credentials"
