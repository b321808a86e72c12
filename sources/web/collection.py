"""Read documents one by one from folders, WARC files and Parquet files.

If the address of a document's web page is known, as in WARC files and in a column ``url``, that
address is the document's address. If no such address is known, the document's address is
``corpus:`` followed by the path.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from sources.web.archive_records import read_documents
from sources.web.corpus import Corpus, read_folder
from sources.web.errors import CorpusError
from sources.web.fetch_types import document_path, downward
from sources.web.main_text import MAX_BYTES

_TYPES = {
    ".html": "text/html", ".htm": "text/html", ".md": "text/markdown",
    ".markdown": "text/markdown", ".mdx": "text/markdown",
}  # fmt: skip
_BODY_COLUMNS = {
    "html": "text/html", "markdown": "text/markdown", "text": "text/plain", "content": "text/plain",
}  # fmt: skip
_NAME_COLUMNS = ("url", "path", "id")
_BATCH = 256
SCHEME = "corpus:"


class CollectedDocument(NamedTuple):
    """A document in a collection; ``path`` shows the document's format, and ``read`` returns its
    bytes.
    """

    url: str
    path: str
    content_type: str
    charset: str | None
    read: Callable[[], bytes]


def read_collection(
    roots: Sequence[Path], max_bytes: int = MAX_BYTES
) -> Iterator[CollectedDocument]:
    """Yield the documents in folders, WARC files and Parquet files.

    Raises CorpusError if a folder or file does not exist or cannot be read.
    """
    folders = [root for root in roots if not root.is_file()]
    if folders:
        yield from _of_folder(read_folder(folders, max_bytes))
    for root in filter(Path.is_file, roots):
        if root.suffix == ".parquet":
            yield from _of_parquet(root)
        elif root.name.endswith((".warc", ".warc.gz")):
            yield from _of_warc(root)
        else:
            raise CorpusError(f"{root} is neither a folder nor a .warc, .warc.gz or .parquet file")


def corpus_path(url: str, content_type: str) -> str:
    """Return the path of an archived document; the suffix of the path shows the format."""
    if url.startswith(SCHEME):
        return downward(unquote(url.removeprefix(SCHEME)))
    return document_path(url, content_type)


def _of_folder(corpus: Corpus) -> Iterator[CollectedDocument]:
    for file in corpus.files:
        path = corpus.roots[file.root_index] / file.path_rel
        suffix = PurePosixPath(file.path_rel).suffix.lower()
        yield CollectedDocument(
            SCHEME + quote(file.path_rel), file.path_rel, _TYPES.get(suffix, "text/plain"), None,
            path.read_bytes,
        )  # fmt: skip


def _of_warc(path: Path) -> Iterator[CollectedDocument]:
    # Imported here because only WARC files need it.
    from warcio.exceptions import ArchiveLoadFailed

    try:
        for url, content_type, charset, raw in read_documents(path):
            named = corpus_path(url, content_type)
            yield CollectedDocument(url, named, content_type, charset, partial(bytes, raw))
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise CorpusError(
            f"{path} is not a complete WARC file: {why}; fetch or create the file again"
        ) from None


def _of_parquet(path: Path) -> Iterator[CollectedDocument]:
    # Imported here because only Parquet files need it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        yield from _rows_of_parquet(path, pq)
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:200]
        raise CorpusError(
            f"{path} is not a complete Parquet file: {why}; create the file again"
        ) from None


def _rows_of_parquet(path: Path, pq: Any) -> Iterator[CollectedDocument]:
    with pq.ParquetFile(path) as table:
        names = table.schema_arrow.names
        name = next((column for column in _NAME_COLUMNS if column in names), None)
        body = next((column for column in _BODY_COLUMNS if column in names), None)
        if name is None or body is None:
            raise CorpusError(
                f"{path} contains no documents: the file needs a column named "
                f"{' or '.join(_NAME_COLUMNS)} and one named {' or '.join(_BODY_COLUMNS)}"
            )
        for batch in table.iter_batches(_BATCH, columns=[name, body]):
            for row in batch.to_pylist():
                if row[name] is None or row[body] is None:
                    continue
                url, value, content_type = str(row[name]), row[body], _BODY_COLUMNS[body]
                if "://" not in url and not url.startswith(SCHEME):
                    url = SCHEME + quote(url)
                raw = value if isinstance(value, bytes) else str(value).encode()
                yield CollectedDocument(
                    url, corpus_path(url, content_type), content_type, "utf-8", partial(bytes, raw)
                )
