"""Names, paths and addresses in the texts of a session, with the cues by which they are facts.

What tells is the shape of a name, who says it, in how many messages, how few other names its text has, and
whether it is in backticks or repeated there. ``name_cues.tsv`` weighs these cues."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from core.facts.model import Fact, FactCategory
from core.facts.prose_facts import urls
from core.facts.sentence_cues import BIAS, accepts

NAME_CUES = Path(__file__).with_name("name_cues.tsv")
_SEARCHED, _SEARCHED_OUTPUT = 12_000, 3_000  # characters of what is said, and of a call or a result
_MIN_LENGTH, _MAX_LENGTH = 3, 200  # characters of a name
_COUNTS = (1, 2, 3, 6, 12)  # of messages with a name
_MIN_SUM = 0.5  # of the weights of a name in code: these are many, so doubtful ones are left out
_MAX_DENSITY = 8  # bits of the number of names in a text
_SEPARATORS = re.compile("[,;\"'()[\\]<>|=*!?`“”‘’\x1b]")
_BEFORE, _AFTER = ",:{}$&%+…—–", ".,:{}$&%+…—–-"
_PLACE = re.compile(r":\d|#L?\d")  # in a file
_QUOTED = re.compile(r"(?<!`)`([^`\n]{3,80})`(?!`)")
_WORD = re.compile(r"[A-Za-z]\w{2,40}")
_PATHS = frozenset(["drive", "absolute", "relative", "folder", "file"])
_IDS = frozenset(["uuid", "email", "issue", "address", "digest", "ticket", "record", "braced", "code"])
_EXACT = frozenset(f"<{shape}>" for shape in (*_IDS, *_PATHS, "url"))
_BRACED = re.compile(r"(?P<braced>\w+\{\w+\})")
_SHAPE = re.compile(
    r"""
    (?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|
    (?P<email>[\w.+-]+@[\w-]+\.\w[\w.]+)|
    (?P<package>@[\w-]+/[\w./-]+|[\w-]+@\d[\w.]*)|
    (?P<drive>[A-Za-z]:\\[\w.\\-]+|[\w.-]+(?:\\[\w.@-]+)+\.\w{1,5})|
    (?P<absolute>(?:~|\.{1,2})/(?:[\w.@+$-]+/)*[\w.@+$-]*\w/?|/(?:[\w.@+$-]+/)+[\w.@+$-]*\w/?|/[\w@+$-]+\.\w{1,6})|
    (?P<relative>(?:[\w.@$-]+/)+[\w.@$-]*\w\.[A-Za-z]\w{0,5})|
    (?P<folder>\.[\w-]+(?:/[\w.@-]+)+|(?:[\w.@-]+/)+)|
    (?P<slashed>[A-Za-z][\w.-]*(?:/[\w.@-]+)+)|
    (?P<file>[\w-]+(?:\.[\w-]+)*\.(?:py|go|tsx?|jsx?|mjs|rs|java|rb|md|jsonl?|ya?ml|toml|sh|css|html|sql|txt|csv|
        cpp|[ch]|png|svg|eml|pen|lock|log|db|xml|ipynb))|
    (?P<issue>\#\d{1,6})|
    (?P<colour>\#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8}))|
    (?P<hexsix>(?=\d*[a-f])[0-9a-f]{6})|
    (?P<address>\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?)|
    (?P<version>v?\d+\.\d+(?:\.[\w-]+)+)|
    (?P<date>\d{4}-\d\d-\d\d\S*)|
    (?P<number>[-+$€£~≥≤]*\d[\d.,:%]{0,7}|[\d.,]+)|
    (?P<flag>--?[a-z][\w-]+)|
    (?P<digest>(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40})|
    (?P<ticket>[A-Z]{2,8}-\d+)|
    (?P<constant>\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|
    (?P<record>[a-z]+(?:_[a-z]+)*_\d{3,})|
    (?P<snake>_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+|_+[A-Za-z]\w+)|
    (?P<capitals>[A-Z]{3,12})|
    (?P<code>(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{4,16})|
    (?P<camel>\$?[a-z]+[0-9]*(?:[A-Z][a-z0-9]*)+)|
    (?P<pascal>(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*|[A-Z]{2,}[a-z]{2,}\w*|(?:[A-Z][a-z0-9]+)+[A-Z]+)|
    (?P<mixed>(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{4,40})|
    (?P<numbered>(?=[\w.-]*\d)[A-Za-z0-9][\w.]*(?:-[\w.]+)+)|
    (?P<hyphened>[A-Za-z]\w*(?:-\w+)+)|
    (?P<dotted>[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$-]*)+)|
    (?P<scoped>[\w-]+(?::[\w-]+)+)
    """,
    re.VERBOSE,
)


class NameSource(StrEnum):
    """Who says a name."""

    PERSON = "person"
    SYSTEM = "system"
    MODEL = "model"
    CALL = "call"
    RESULT = "result"


_TELLING = frozenset([NameSource.PERSON, NameSource.MODEL])
_UNSAID = frozenset([NameSource.CALL, NameSource.RESULT])


@dataclass(slots=True)
class _Name:
    """``densities``: the fewest names that a text with this one has, by who says it, in bits. Cues and
    densities are shared: a session has many names."""

    text: str
    shape: str
    first: int = -1
    last: int = -1
    count: int = 0  # messages
    cues: frozenset[str] = frozenset()
    densities: tuple[tuple[NameSource, int], ...] = ()

    def mention(self, source: NameSource, index: int, density: int, *, is_repeated: bool) -> None:
        if self.count == 0:
            self.first = index
        if index != self.last:
            self.last, self.count = index, self.count + 1
        self.densities = _densities(self.densities, source, min(_MAX_DENSITY, (density - 1).bit_length()))
        if is_repeated:
            self.cues = _with_cue(self.cues, f"<repeated by {source}>")

    def fact(self) -> Fact:
        category = FactCategory.PATH if self.shape in _PATHS else FactCategory.IDENTIFIER
        kind = FactCategory.URL if self.shape == "url" else category
        return Fact(kind, self.text, self.text, self.first, self.last, self.count)

    def all_cues(self) -> frozenset[str]:
        count = next((limit for limit in _COUNTS if self.count <= limit), _COUNTS[-1] + 1)
        return _cues(self.shape, count, self.cues, self.densities)


@lru_cache(maxsize=10_000)
def _densities(
    known: tuple[tuple[NameSource, int], ...], source: NameSource, density: int
) -> tuple[tuple[NameSource, int], ...]:
    bits = dict(known)
    return tuple((bits | {source: min(density, bits.get(source, density))}).items())


@lru_cache(maxsize=10_000)
def _with_cue(cues: frozenset[str], cue: str) -> frozenset[str]:
    return cues | {cue}


@lru_cache(maxsize=10_000)
def _cues(
    shape: str, count: int, marks: frozenset[str], densities: tuple[tuple[NameSource, int], ...]
) -> frozenset[str]:
    cues = {BIAS, f"<{shape}>", f"<messages {count}>", *marks}
    for source, density in densities:
        cues |= {f"<by {source}>", f"<by {source} among {density}>"}
        if shape in _IDS:
            cues.add(f"<id by {source}>")
    sources = {source for source, _ in densities}
    if NameSource.RESULT in sources:
        use = "told" if sources & _TELLING else "used" if NameSource.CALL in sources else "only"
        cues.add(f"<result {use}>")
    return frozenset(cues)


@lru_cache(maxsize=10_000)
def is_fact(cues: frozenset[str]) -> bool:
    """Return whether a name with these cues is a fact."""
    return accepts(NAME_CUES, cues, at_least=_MIN_SUM if _EXACT.isdisjoint(cues) else 0.0)


@dataclass(slots=True)
class NameLog:
    """The names of a session."""

    names: dict[str, _Name] = field(default_factory=dict)

    def add(self, text: str, source: NameSource, index: int) -> None:
        """Add the names of a text; messages come in their order."""
        searched = text[: _SEARCHED_OUTPUT if source in _UNSAID else _SEARCHED]
        counts: Counter[str] = Counter()
        for token, count in Counter(_SEPARATORS.sub(" ", searched).split()).items():
            if shaped := _shaped(token):
                counts[self._text(*shaped)] += count
        for url in (address.rstrip("/") for address in urls(searched) if "{" not in address):
            counts[self._text(url, "url")] += 1
        if source in _TELLING:
            quoted = {self._text(*shaped) for shaped in _quoted(searched)}
            counts |= Counter(quoted)
            for word in quoted:
                self.names[word].cues = _with_cue(self.names[word].cues, "<quoted>")
        density = len(counts) * len(text) // max(1, len(searched))
        for word, count in counts.items():
            self.names[word].mention(source, index, density, is_repeated=count > 1)

    def candidates(self) -> Iterator[tuple[Fact, frozenset[str]]]:
        """Yield every name as the fact that it may be, with its cues."""
        yield from ((name.fact(), name.all_cues()) for name in self.names.values())

    def _text(self, text: str, shape: str) -> str:
        """Return the text of a name, which is added if it is new."""
        if text not in self.names:
            self.names[text] = _Name(text, shape)
        return text


@lru_cache(maxsize=20_000)
def _shaped(token: str) -> tuple[str, str] | None:
    """Return the name in a token, and its shape."""
    text = token.lstrip(_BEFORE).rstrip(_AFTER)
    if (text.isalpha() and text[1:].islower()) or "://" in text:
        return None
    match = _BRACED.match(token) or _SHAPE.fullmatch(text)
    if match is None and (place := _PLACE.search(text)):
        match = _SHAPE.fullmatch(text[: place.start()])
    if match is None or not _MIN_LENGTH <= len(match[0]) <= _MAX_LENGTH or match.lastgroup == "number":
        return None
    return match[0], match.lastgroup or ""


def _quoted(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in backticks with their shapes; there a mere word is one."""
    for quote in _QUOTED.findall(text):
        word = _SEPARATORS.sub(" ", quote).strip()
        if shaped := _shaped(word):
            yield shaped
        elif _WORD.fullmatch(word):
            yield word, "word"
