"""Defines how all stages represent a document: as an ordered list of blocks of main text.

The structure of a page is kept, because headings and lists often describe trajectories. All offsets
count characters in ``Document.text``, which joins the blocks with line breaks. The document's text
depends only on its bytes and on ``MAIN_TEXT_VERSION`` in ``sources.web.main_text``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

#: Languages that are recognised (ISO 639-1).
DocumentLanguage = Literal[
    "zh",
    "en",
    "ja",
    "ko",
    "fr",
    "de",
    "es",
    "it",
    "pt",
    "nl",
    "ru",
    "ar",
    "th",
    "el",
    "he",
    "other",
]
#: Where a document's date was found: in its front matter, in its HTML head, in its file name, in
#: the header of the server's answer, or in the search result.
DateSource = Literal["front_matter", "head", "file_name", "server", "search"]
#: The English names of the languages.
LANGUAGE_NAMES: dict[DocumentLanguage, str] = {
    "zh": "Chinese", "en": "English", "ja": "Japanese", "ko": "Korean", "fr": "French",
    "de": "German", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "ru": "Russian", "ar": "Arabic", "th": "Thai", "el": "Greek", "he": "Hebrew",
    "other": "a language that is not known",
}  # fmt: skip
#: Languages that have a code of their own in the tables.
_PUBLISHED = ("zh", "en")
BlockKind = Literal["title", "heading", "paragraph", "list_item", "table_row", "quote"]
#: The kind, level and text of a block, and whether the whole block is in bold.
GivenBlock = tuple[BlockKind, int, str, bool]


def code_language(lang: str) -> str:
    """Return the code that the tables use for a document's language: zh, en or other."""
    return lang if lang in _PUBLISHED else "other"


class FrozenModel(BaseModel):
    """A model whose instances cannot be changed."""

    model_config = ConfigDict(frozen=True)


class Block(FrozenModel):
    """One block of main text. ``start`` is the block's offset in the document's text."""

    kind: BlockKind
    text: str
    start: int = Field(ge=0)
    level: int = Field(
        default=0, ge=0, description="level of a heading, from 1 to 6; 0 for all other blocks"
    )
    strong: bool = Field(default=False, description="whether the whole block is in bold")


class Document(FrozenModel):
    """The main text of one document. ``doc_id`` is the hash of the document's raw bytes."""

    doc_id: str
    path: str
    lang: DocumentLanguage = "other"
    title: str = ""
    blocks: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        """Return all blocks, one per line. Evidence offsets refer to the returned text."""
        return "\n".join(block.text for block in self.blocks)

    @classmethod
    def from_texts(
        cls,
        doc_id: str,
        path: str,
        blocks: Sequence[GivenBlock],
        *,
        lang: DocumentLanguage = "other",
        title: str = "",
    ) -> Document:
        """Make a document from tuples (kind, level, text, strong) and compute the offsets."""
        placed: list[Block] = []
        start = 0
        for kind, level, text, strong in blocks:
            placed.append(Block(kind=kind, level=level, text=text, start=start, strong=strong))
            start += len(text) + 1
        return cls(doc_id=doc_id, path=path, lang=lang, title=title, blocks=tuple(placed))
