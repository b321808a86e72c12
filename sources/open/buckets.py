"""Read parts of the Parquet files in a public bucket over HTTP.

The module transfers only the footer and, from row groups that overlap a box, only the columns that
are needed. Only one row group at a time is kept in memory.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from lxml import etree

from sources.open.area import Box
from sources.open.asking import Asker
from sources.open.errors import OpenDataError

_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_LISTING_BYTES = 20_000_000
_TAIL_BYTES = 65_536
_FOOTER_BYTES = 200_000_000
#: Ranges that are closer together than this are requested as one, up to the largest size.
_GAP_BYTES, _SPAN_BYTES = 262_144, 16_000_000
_MAGIC = b"PAR1"


@dataclass(frozen=True)
class Object:
    """A file in a bucket, with its size in bytes."""

    key: str
    size: int


class Bucket:
    """A bucket that lists its files in the same way as S3 and supports range requests."""

    def __init__(self, asker: Asker, url: str) -> None:
        self._asker, self._url = asker, url.rstrip("/")

    async def folders(self, prefix: str) -> list[str]:
        """Return the folders directly below a prefix, sorted by name."""
        found: list[str] = []
        async for page in self._pages(prefix, delimiter="/"):
            found += _texts(page, "CommonPrefixes", "Prefix")
        return sorted(found)

    async def files(self, prefix: str, suffix: str) -> list[Object]:
        """Return the files below a prefix whose names end in ``suffix``, sorted by name.

        Raises OpenDataError if the files cannot be listed.
        """
        found: list[Object] = []
        async for page in self._pages(prefix):
            keys, sizes = _texts(page, "Contents", "Key"), _texts(page, "Contents", "Size")
            if len(keys) != len(sizes) or not all(size.isdigit() for size in sizes):
                raise OpenDataError(f"{self._url}: the list of files does not contain their sizes")
            found += [Object(key, int(size)) for key, size in zip(keys, sizes, strict=True)]
        return sorted((one for one in found if one.key.endswith(suffix)), key=lambda one: one.key)

    async def _pages(
        self, prefix: str, delimiter: str | None = None
    ) -> AsyncIterator[etree._Element]:
        asked = {"list-type": "2", "prefix": prefix}
        if delimiter:
            asked["delimiter"] = delimiter
        while True:
            page = _xml(
                await self._asker.get(f"{self._url}/", _LISTING_BYTES, params=asked), self._url
            )
            yield page
            token = page.findtext(f"{_NAMESPACE}NextContinuationToken")
            if page.findtext(f"{_NAMESPACE}IsTruncated") != "true" or not token:
                return
            if token == asked.get("continuation-token"):
                raise OpenDataError(
                    f"{self._url}: the server sent the same part of the list of files twice: try"
                    " again later, or check the address in the settings"
                )
            asked["continuation-token"] = token

    async def tables(
        self, file: Object, boxes: Sequence[Box], wanted: Sequence[str]
    ) -> AsyncIterator[pa.Table]:
        """Yield the wanted columns of each row group that may overlap a box.

        Raises OpenDataError if the file cannot be read.
        """
        url = f"{self._url}/{quote(file.key)}"
        parts = _Parts(file.size)
        metadata = await self._metadata(url, file, parts)
        columns = [name for name in metadata.schema.to_arrow_schema().names if name in wanted]
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            if not _may_meet(group, boxes):
                continue
            spans = _spans(group, columns)
            bodies = await asyncio.gather(*(self._asker.span(url, *span) for span in spans))
            parts.hold({start: body for (start, _), body in zip(spans, bodies, strict=True)})
            try:
                opened = pq.ParquetFile(pa.PythonFile(parts, mode="r"), metadata=metadata)
                table = opened.read_row_group(number, columns=columns, use_threads=False)
            except (pa.ArrowException, OSError) as error:
                raise OpenDataError(
                    f"{url}: row group {number} cannot be read ({str(error)[:120]})"
                ) from None
            parts.hold({})
            yield table

    async def _metadata(self, url: str, file: Object, parts: _Parts) -> pq.FileMetaData:
        length = min(_TAIL_BYTES, file.size)
        tail = await self._asker.span(url, file.size - length, length) if length > 8 else b""
        footer = int.from_bytes(tail[-8:-4], "little") + 8
        if tail[-4:] != _MAGIC or footer > min(file.size, _FOOTER_BYTES):
            raise OpenDataError(f"{url}: this is not a Parquet file, or it is incomplete")
        if footer > length:
            tail = await self._asker.span(url, file.size - footer, footer)
        parts.hold({file.size - len(tail): tail})
        try:
            return pq.read_metadata(pa.PythonFile(parts, mode="r"))
        except (pa.ArrowException, OSError) as error:
            raise OpenDataError(
                f"{url}: the footer of the file cannot be read ({str(error)[:120]})"
            ) from None


class _Parts(io.RawIOBase):
    """A file of which only some parts have been fetched; reading any other part raises an error."""

    def __init__(self, size: int) -> None:
        self._size, self._at, self._held = size, 0, dict[int, bytes]()

    def hold(self, parts: dict[int, bytes]) -> None:
        """Replace the available parts; the keys of ``parts`` are the offsets of the parts in the
        file.
        """
        self._held = parts

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def size(self) -> int:
        """Return the size of the whole file in bytes."""
        return self._size

    def read(self, size: int = -1) -> bytes:
        size = self._size - self._at if size < 0 else min(size, self._size - self._at)
        for start, part in self._held.items():
            if start <= self._at and self._at + size <= start + len(part):
                found = part[self._at - start : self._at - start + size]
                self._at += size
                return found
        raise OSError(f"bytes {self._at} to {self._at + size} have not been fetched")


def _may_meet(group: pq.RowGroupMetaData, boxes: Iterable[Box]) -> bool:
    """Check whether a row group may overlap a box; return False only if its statistics rule this
    out.
    """
    told = {column.path_in_schema: column.statistics for column in _columns(group)}
    edges: list[Any] = [told.get(f"bbox.{side}") for side in ("xmin", "ymin", "xmax", "ymax")]
    if any(edge is None or not edge.has_min_max for edge in edges):
        return True
    west, south, east, north = edges
    return any(box.meets(west.min, south.min, east.max, north.max) for box in boxes)


def _columns(group: pq.RowGroupMetaData) -> list[pq.ColumnChunkMetaData]:
    return [group.column(number) for number in range(group.num_columns)]


def _spans(group: pq.RowGroupMetaData, columns: Sequence[str]) -> list[tuple[int, int]]:
    """Return the start and length of each range that contains these columns, joining nearby
    ranges.
    """
    pieces = [
        (
            min(c.data_page_offset, c.dictionary_page_offset or c.data_page_offset),
            c.total_compressed_size,
        )
        for c in _columns(group)
        if c.path_in_schema.split(".", 1)[0] in columns
    ]
    spans: list[tuple[int, int]] = []
    for start, length in sorted(pieces):
        before, taken = spans[-1] if spans else (-_SPAN_BYTES, 0)
        joined = start + length - before
        if start - (before + taken) <= _GAP_BYTES and joined <= _SPAN_BYTES:
            spans[-1] = (before, joined)
        else:
            spans.append((start, length))
    return spans


def _xml(body: bytes, url: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        found = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        found = None
    if found is None or found.tag != f"{_NAMESPACE}ListBucketResult":
        raise OpenDataError(
            f"{url} does not list files in the same format as S3: check the address in the settings"
        )
    return found


def _texts(page: etree._Element, outer: str, inner: str) -> list[str]:
    return [
        node.findtext(f"{_NAMESPACE}{inner}") or ""
        for node in page.iterfind(f"{_NAMESPACE}{outer}")
    ]
