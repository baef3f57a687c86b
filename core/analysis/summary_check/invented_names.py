"""Finds names, values and addresses in a summary that its source does not contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.analysis.fidelity.fact_texts import TextIndex
from core.analysis.fidelity.model import FidelityCategory, InventedFact
from core.facts import prose_facts

PATH = re.compile(r"(?<![\w/<])(?:[\w.@-]*/)+[\w.@-]*\w\.\w{1,8}\b")
"""A file path with a folder and a suffix."""
_HASH = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_DIGITS = re.compile(r"\d[\d.,]*")
_NO_FACTS = re.compile(
    r"</?[\w-]+>|^[#* ]*[A-Z][A-Z_ ]+:?[* ]*$|\S*\s?…\S*|\S*\s*\[truncated\]|\b\d+ calls?\b|\\[nrt]",
    re.MULTILINE,
)
"""Text without facts: tags and headings, counts, truncated words, JSON escapes."""


def invented_facts(summaries: Iterable[tuple[int, str]], source: TextIndex) -> Iterator[InventedFact]:
    """Yield each path, address, identifier, hash and value that the source does not contain, once. ``source``
    is indexed by the words of the summaries."""
    seen: set[tuple[FidelityCategory, str]] = set()
    for place, text in summaries:
        fact_text = _NO_FACTS.sub(" ", text)
        for kind, words in _names_in(fact_text):
            if (kind, words) in seen or _is_known(kind, words, source):
                continue
            seen.add((kind, words))
            yield InventedFact(kind, words, place)


def _names_in(text: str) -> Iterator[tuple[FidelityCategory, str]]:
    for path in PATH.findall(text):
        yield FidelityCategory.PATH, path
    for url in prose_facts.urls(text):
        yield FidelityCategory.URL, url
    for name in prose_facts.identifiers(text):
        yield FidelityCategory.IDENTIFIER, name
    for name in prose_facts.ids(text):
        yield FidelityCategory.IDENTIFIER, name
    for digest in _HASH.findall(text):
        yield FidelityCategory.IDENTIFIER, digest
    for key, value in prose_facts.numbers(text):
        yield FidelityCategory.NUMBER, f"{key} = {value}"


def _is_known(kind: FidelityCategory, words: str, source: TextIndex) -> bool:
    if kind is FidelityCategory.NUMBER:
        digits = _DIGITS.search(words.partition(" = ")[2])
        return source.contains(words.partition(" = ")[2]) or (
            digits is not None and source.contains(digits[0])
        )
    if kind is FidelityCategory.PATH:
        return _is_known_path(words, source)
    name = words.removesuffix("()")
    return (
        "[data" in words
        or source.contains(name, exact=True)
        or source.contains(name, exact=True, is_cut=True)
    )


def _is_known_path(path: str, source: TextIndex) -> bool:
    """Return whether the source has the path, its end, or its folder and name apart."""
    segments = path.strip("/").split("/")
    path_ends = ("/".join(segments[start:]) for start in range(max(1, len(segments) - 1)))
    folder, _, name = path.rpartition("/")
    parts = [part for part in (folder, name) if part]
    return any(source.contains(path_end, exact=True) for path_end in path_ends) or (
        len(parts) > 1 and all(source.contains(part, exact=True) for part in parts)
    )
