"""Decode bytes to text, refuse binary files, and find the character set even if the stated one is
wrong.

Valid UTF-8 is accepted without further checks. Bytes that are not valid UTF-8 are decoded with each
likely encoding, and the most plausible result is used. A result is plausible if most of its
non-ASCII characters are common, that is, if they are in level 1 of GB 2312 or Big5, or are Chinese
punctuation. The method works even for short Chinese texts, for which statistical detectors can only
guess. charset-normalizer is used only if no Chinese or Western encoding fits.
"""

from __future__ import annotations

import codecs
import re

from sources.web.errors import UnreadableDocument

_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b",
    b"Rar!", b"7z\xbc\xaf", b"\xd0\xcf\x11\xe0", b"\x7fELF", b"RIFF", b"SQLite format 3", b"BZh",
    b"\xfd7zXZ", b"OggS", b"ID3", b"PAR1", b"MZ\x90", b"\xca\xfe\xba\xbe", b"wOFF", b"wOF2",
)  # fmt: skip
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "gb-2312": "gb18030", "x-gbk": "gb18030",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "iso-8859-1": "cp1252", "latin-1": "cp1252",
    "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252",
}  # fmt: skip
_PUNCTUATION = re.compile("[\u2010-\u2027\u2030-\u203b\u2190-\u21ff\u3000-\u3029\uff01-\uff5e·°]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LONE_LATIN = re.compile(
    r"(?<![^\x00-\x7f])[\u00c0-\u00ff\u2018-\u201d\u2013\u2014](?![^\x00-\x7f])"
)

#: A decoding is accepted if at least this share of its non-ASCII characters is plausible.
PLAUSIBLE = 0.8
#: Number of non-ASCII characters that are examined, which keeps large pages fast.
_SAMPLE = 4000
_FEW_CONTROLS = 5  # a text may contain a few by accident


def decode(raw: bytes, declared: str | None = None) -> str:
    """Decode a document; ``declared`` is the character set that the document itself states.

    Raises UnreadableDocument if the bytes are binary or in an unknown character set.
    """
    if (reason := binary_reason(raw)) is not None:
        raise UnreadableDocument("binary", reason)
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return _strict_with_bom(raw, encoding)
    text = _best_decoding(raw, declared)
    if len(_CONTROL.findall(text)) > max(_FEW_CONTROLS, 0.01 * len(text)):
        raise UnreadableDocument("binary", "the file is full of control characters, not text")
    return text


def binary_reason(raw: bytes) -> str | None:
    """Return the reason why bytes are not text in any character set, or None if they may be
    text.
    """
    if raw.startswith(_MAGIC) or raw[4:8] == b"ftyp":
        return "the file is binary (its first bytes say so), not text"
    if b"\x00" in raw and not raw.startswith(tuple(bom for bom, _ in _BOMS)):
        return "the file contains NUL bytes, so it is binary and not text"
    return None


def _strict_with_bom(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, errors="replace")
    if text.count("\ufffd") > 0.01 * len(text):
        raise UnreadableDocument(
            "encoding", f"the file's byte order mark says {encoding}, but it is not"
        )
    return text


def _best_decoding(raw: bytes, declared: str | None) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    decoded = [(raw.decode(name, errors="replace"), name) for name in _candidates(declared)]
    text, name = max(decoded, key=lambda one: _plausible_share(*one))
    return text if _plausible_share(text, name) >= PLAUSIBLE else _by_statistics(raw)


def _candidates(declared: str | None) -> list[str]:
    """Return the encodings to try, with the declared encoding first so that it wins a tie."""
    names = ["utf-8", "gb18030", "big5hkscs", "cp1252"]
    if declared:
        name = declared.strip().strip("\"'").lower()
        name = _WIDER.get(name, name)
        try:
            name = codecs.lookup(name).name
            "".encode(name)
        except LookupError:
            return names
        if not name.startswith(("utf-16", "utf-32", "utf_16", "utf_32", "utf-7")):
            return [name, *(other for other in names if codecs.lookup(other).name != name)]
    return names


def _plausible_share(text: str, encoding: str) -> float:
    sample = "".join(_NON_ASCII.findall(text)[:_SAMPLE])
    if not sample:
        return 1.0
    if encoding == "utf-8":  # valid sequences are proof enough
        good = len(sample) - sample.count("\ufffd")
    elif encoding == "cp1252":
        return len(_LONE_LATIN.findall(text)) / len(_NON_ASCII.findall(text))
    else:
        good = len(_PUNCTUATION.findall(sample)) + sum(map(_is_frequent, sample))
    bad = 5 * sample.count("\ufffd")
    return max(0.0, (good - bad) / len(sample))


def _is_frequent(char: str) -> bool:
    """Check whether a character is in level 1 of GB 2312 or Big5."""
    gb, big5 = char.encode("gb2312", errors="ignore"), char.encode("big5", errors="ignore")
    return b"\xb0" <= gb[:1] <= b"\xd7" or b"\xa4" <= big5[:1] <= b"\xc6"


def _by_statistics(raw: bytes) -> str:
    # Imported here because only texts in an unusual encoding need it.
    from charset_normalizer import from_bytes

    match = from_bytes(raw[:200_000]).best()
    if match is not None:
        text = raw.decode(match.encoding, errors="replace")
        chinese = _HAN.search(text) and not _KANA_OR_HANGUL.search(text)
        if not chinese and text.count("\ufffd") <= 0.01 * len(text):
            return text
    raise UnreadableDocument(
        "encoding", "the file is in no known character set; save it as UTF-8 and try again"
    )
