"""Lists the documents in folders and reads them one by one; identical files count as one document.

Reading a file extracts its main text, masks personal data, and looks for the licence of the file.
Rejected files are listed with the reason.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from schemas.documents import Document
from schemas.ids import doc_id
from sources.web.errors import CorpusError, ReasonCode, UnreadableDocument
from sources.web.licences import LIST, Licence, Licences, is_licence_file, read_licences
from sources.web.main_text import MAX_BYTES, parse, too_large_message
from sources.web.metadata import DocumentMeta, document_meta
from sources.web.personal_data import find_authors, mask_document

SUFFIXES = (".md", ".markdown", ".mdx", ".html", ".htm", ".txt", ".text")
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class CorpusFile:
    """A file that contains a document; ``path_rel`` is relative to the root with the number
    ``root_index``.
    """

    path_rel: str
    root_index: int
    size_bytes: int
    sha256: str

    @property
    def doc_id(self) -> str:
        """Return the document's id, which depends only on the bytes of the file."""
        return doc_id(self.sha256)


@dataclass(frozen=True)
class RejectedFile:
    """A file that is not read, with the reason."""

    path_rel: str
    root_index: int
    size_bytes: int
    reason_code: ReasonCode
    message: str


@dataclass(frozen=True)
class DuplicateFile:
    """A file with the same bytes as an earlier file."""

    path_rel: str
    root_index: int
    doc_id: str
    original_path_rel: str


class LoadedDocument(NamedTuple):
    """A document with masked personal data, the document's metadata, and the number of masked
    pieces.
    """

    document: Document
    meta: DocumentMeta
    masked: Counter[str]


@dataclass(frozen=True)
class Corpus:
    """The document files found in one or more folders.

    Each document file is in ``files``, ``rejected`` or ``duplicates``. ``n_ignored`` is the number
    of files of other types.
    """

    roots: tuple[Path, ...]
    files: tuple[CorpusFile, ...]
    rejected: tuple[RejectedFile, ...]
    duplicates: tuple[DuplicateFile, ...]
    n_ignored: int
    max_bytes: int = MAX_BYTES
    licences: tuple[Licences, ...] = ()

    def licence_of(self, file: CorpusFile) -> Licence | None:
        """Return the licence of a file, as given in a list or in a licence file in the folder."""
        held = self.licences[file.root_index] if self.licences else Licences()
        return held.of(file.path_rel)

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Yield the id of every document, including copies, once with its relative path and once
        with its full path.
        """
        roots = [root.resolve() for root in self.roots]
        entries: tuple[CorpusFile | DuplicateFile, ...] = (*self.files, *self.duplicates)
        for entry in entries:
            yield entry.doc_id, entry.path_rel
            yield entry.doc_id, (roots[entry.root_index] / entry.path_rel).as_posix()

    def load(self, file: CorpusFile) -> Document:
        """Read a file's main text, with personal data masked.

        Raises UnreadableDocument if the file cannot be read or has changed.
        """
        return self.load_with_meta(file).document

    def load_with_meta(self, file: CorpusFile) -> LoadedDocument:
        """Read a file's main text and metadata, with personal data masked.

        Raises UnreadableDocument if the file cannot be read or has changed.
        """
        raw = _read(self.roots[file.root_index] / file.path_rel, self.max_bytes)
        if hashlib.sha256(raw).hexdigest() != file.sha256:
            raise UnreadableDocument(
                "unreadable",
                "the file changed after it was listed; run the build again",
            )
        parsed = parse(raw, file.path_rel, max_bytes=self.max_bytes)
        document, masked = mask_document(parsed.document, find_authors(parsed))
        return LoadedDocument(document, document_meta(parsed._replace(document=document)), masked)


def read_folder(roots: Sequence[Path], max_bytes: int = MAX_BYTES) -> Corpus:
    """List the documents in folders, sorted by relative path and then by root.

    Files that are larger than ``max_bytes`` are rejected. Links that lead out of their root folder
    are not followed. Raises CorpusError if a folder does not exist or cannot be read, or if there
    are no documents.
    """
    roots = tuple(Path(root) for root in roots)
    if not roots:
        raise CorpusError("no folder of documents was given; give at least one")
    for root in roots:
        _check_root(root)
    files: list[CorpusFile] = []
    rejected: list[RejectedFile] = []
    duplicates: list[DuplicateFile] = []
    first_path: dict[str, str] = {}
    n_ignored = 0
    listed = _list_files(roots)
    licences = tuple(
        read_licences(root, (root / name for name, at in listed if at == index))
        for index, root in enumerate(roots)
    )
    for path_rel, index in listed:
        path = roots[index] / path_rel
        if path.name == LIST or is_licence_file(path.name):
            continue  # it states licences and is not a document
        if path.suffix.lower() not in SUFFIXES:
            n_ignored += 1
            continue
        entry = _entry(path, path_rel, index, max_bytes)
        if isinstance(entry, RejectedFile):
            rejected.append(entry)
        elif entry.sha256 in first_path:
            original = first_path[entry.sha256]
            duplicates.append(DuplicateFile(path_rel, index, entry.doc_id, original))
        else:
            first_path[entry.sha256] = path_rel
            files.append(entry)
    if not files and not rejected:
        raise CorpusError(_empty_message(roots, n_ignored))
    return Corpus(
        roots, tuple(files), tuple(rejected), tuple(duplicates), n_ignored, max_bytes, licences
    )


def _check_root(root: Path) -> None:
    if not root.exists():
        raise CorpusError(f"the folder of documents {root} does not exist; check the path")
    if not root.is_dir():
        raise CorpusError(f"{root} is a file; give the folder that contains it")
    if not os.access(root, os.R_OK | os.X_OK):
        raise CorpusError(f"the folder {root} can't be read; check its permissions")


def _empty_message(roots: Sequence[Path], n_ignored: int) -> str:
    names = ", ".join(str(root) for root in roots)
    found = f" ({n_ignored} files of other types)" if n_ignored else ""
    return f"there are no documents in {names}{found}; add files ending in {', '.join(SUFFIXES)}"


def _list_files(roots: Sequence[Path]) -> list[tuple[str, int]]:
    """Return the relative path and the root of every file, sorted."""
    return sorted(
        (path.relative_to(root).as_posix(), index)
        for index, root in enumerate(roots)
        for path in _walk(root)
    )


def _walk(root: Path) -> Iterator[Path]:
    """Yield the files below a root, except hidden files and links that lead out of the root."""
    inside = root.resolve()
    for folder, subfolders, names in os.walk(root, followlinks=False):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for path in (Path(folder) / name for name in names if not name.startswith(".")):
            leaves = path.is_symlink() and not path.resolve().is_relative_to(inside)
            if not leaves and path.is_file():
                yield path


def _entry(path: Path, path_rel: str, index: int, max_bytes: int) -> CorpusFile | RejectedFile:
    size = path.stat().st_size
    if size > max_bytes:
        message = too_large_message(size, max_bytes)
        return RejectedFile(path_rel, index, size, "too_large", message)
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        return RejectedFile(path_rel, index, size, "unreadable", _unreadable_message(error))
    return CorpusFile(path_rel, index, size, digest.hexdigest())


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(max_bytes + 1)
    except OSError as error:
        raise UnreadableDocument("unreadable", _unreadable_message(error)) from error


def _unreadable_message(error: OSError) -> str:
    return f"the file can't be read: {error.strerror or 'input/output error'}; check it"
