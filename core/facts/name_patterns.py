"""The exact patterns of names: what strings alone can show to stand in a text or not.

Facts, later use, the check of summaries and the strategies that keep names use these and no
others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class NameKind(StrEnum):
    PATH = "path"  # of a file or folder, with or without its folder
    URL = "url"
    IDENTIFIER = "identifier"  # as code spells it: snake_case, camelCase, CONSTANT, a.b.c, --flag
    ID = "id"  # digest, UUID, ticket, mail address, version: no prose could replace it
    NUMBER = "number"  # three digits and more, or with a unit
    CODE = "code"  # in backticks, of no other kind


TELLING_KINDS = frozenset(NameKind) - {NameKind.CODE}
"""Kinds that are looked for elsewhere: any word may stand in backticks."""


class Name(NamedTuple):
    """A name in a text, and where it starts there in characters."""

    text: str
    kind: NameKind
    start: int


MAX_LENGTH = 200  # characters of a name
_MAX_URL = 2_000
_UNITS = (
    "%|[nµm]?s|sec(?:onds?)?|min(?:utes?)?|h|hours?|days?|weeks?|[kKMGT]i?B|bytes?|px|em|rem|Hz|[kMG]Hz|fps|"
    "[kK] tokens|tokens|lines|rows|x"
)
_URL = r"(?P<url>(?:(?<=\\[nrt])|(?<!\\)\b)[a-z][a-z0-9+.-]{1,9}://[^\s<>\"'`)\]}\\|]+)"
_GROUPED = r"(?<![\w.,])\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?(?![\w,]*\d)(?![pd](?!\w))"
_LINES = r"\d+,\d+[pd](?!\w)"
"""Lines that sed prints or deletes: "1,240p" is no number."""
_MEASURED = rf"(?<![\w.,/-])\d+(?:\.\d+)? ?(?:{_UNITS})(?!\w)"
_NO_START = r"(?<=<)/|(?<=[)\]}?])\.|\.\w+\("
"""A closing tag, and a member of what stands before it, begin no path."""
_TOKEN = rf"{_LINES}|(?!{_NO_START})[\w~.@$#/\\:%+-]{{3,400}}"
_STARTS = r"(?=[\w~.@$#/\\:%+-])"  # asked first, they spare two thirds of the time
_WITHOUT_URL = (
    rf"{_STARTS}(?:(?P<number>(?=\d)(?:{_GROUPED}|{_MEASURED}))|(?P<token>{_TOKEN}))"
)
_CANDIDATE = re.compile(f"{_URL}|{_WITHOUT_URL}")
_CANDIDATE_WITHOUT_URL = re.compile(_WITHOUT_URL)
_ADDRESS = re.compile(_URL)
_QUOTED = re.compile(r"(?<!`)`([^`\n]{3,80})`(?!`)")
_CODE = re.compile(r"[^\W\d]\S*(?: \S+){0,3}")

_EXTENSION = (
    "astro|bat|bib|c|cc|cfg|clj|cmake|conf|cpp|cs|css|csv|cts|cxx|dart|db|diff|dll|dockerfile|elm|env|erl|ex|exs|"
    "fs|gd|go|gradle|graphql|h|hpp|hs|html?|ini|ipynb|java|jpe?g|jsx?|json[5lc]?|kts?|less|lock|log|lua|m|md|mdx|"
    "mjs|ml|mts|nix|pdf|php|pl|plist|png|prisma|proto|ps1|py[iw]?|r|rb|rs|rst|s|sass|scala|scss|sh|sol|sql|"
    "sqlite3?|svelte|svg|swift|tex|tf|toml|tsx?|txt|vue|wasm|xml|ya?ml|zig|zip|tar|gz"
)
_PART = r"[\w.@+$%~-]+"
_NAME = re.compile(
    rf"""
    (?P<uuid>[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}})|
    (?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{{2,}})|
    (?P<drive>[A-Za-z]:\\[\w.\\ -]*[\w]|\w[\w.-]*(?:\\[\w.@-]+)+\.\w{{1,5}})|
    (?P<route>/[A-Za-z][\w-]+)|
    (?P<rooted>(?:~|\.{{1,2}})?/(?:{_PART}/)*{_PART}/?)|
    (?P<package>@[\w-]+/[\w.-]+(?:/[\w.-]+)*)|
    (?P<relative>(?:{_PART}/)+(?:{_PART})?)|
    (?P<file>[\w@+][\w.@+-]*\.(?:{_EXTENSION}))|
    (?P<dotfile>\.[a-z][\w.-]{{2,}})|
    (?P<issue>\#\d{{1,7}})|
    (?P<ticket>[A-Z][A-Z0-9]{{1,9}}-\d+)|
    (?P<version>v?\d+\.\d+\.\d[\w.+-]*|v\d+\.\d+)|
    (?P<number>\d{{3,}}(?:\.\d+)?|\d+\.\d{{2,}})|
    (?P<digest>(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{{7,64}})|
    (?P<flag>--[a-z][\w-]+)|
    (?P<constant>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|
    (?P<snake>_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*|__?[a-z]\w+)|
    (?P<camel>\$?[a-z]+[0-9]*(?:[A-Z][a-z0-9]*)+)|
    (?P<pascal>(?:[A-Z]+[a-z0-9]+){{2,}}[A-Z]*|[A-Z]{{2,}}[a-z]{{2,}}\w*)|
    (?P<mixed>(?=\w*\d)(?=\w*[A-Za-z])\w{{5,64}})|
    (?P<dotted>[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$-]*)+)
    """,
    re.VERBOSE,
)
_KINDS = {
    **dict.fromkeys(("drive", "rooted", "relative", "file", "dotfile"), NameKind.PATH),
    **dict.fromkeys(
        ("uuid", "mail", "issue", "ticket", "version", "digest"), NameKind.ID
    ),
    "number": NameKind.NUMBER,
}
_PRODUCTS = """
JavaScript TypeScript GitHub GitLab README macOS iOS OpenAI ChatGPT DevOps LaTeX YouTube LinkedIn
PostgreSQL MySQL MongoDB GraphQL WebSocket DOM APIs URLs IDs PRs e.g i.e Node.js Next.js Vue.js
"""
_COMMON = frozenset(_PRODUCTS.split())  # words that are spelled as code
# A word, or two with a stroke: "and/or".
_WORDLIKE = re.compile(r"[a-z]+(?:/[a-z]+)?", re.IGNORECASE)
_NO_PATHS = (
    r".*[\w~^]\.{2,3}[\w^].*",  # a range of revisions: main...origin/main
    rf"\.(?!env$)(?:{_EXTENSION})",  # an extension alone
    r"(?:[^/]*/)?[$@+%-]+/.*|.*/[$@+%-]+/?",  # a part without a letter or digit, as in s/x/$/
    r"(?:\d+[a-z%]*/)+\d+[a-z%]*",  # figures to choose from: 8/10/12px
    r"/dev/(?:null|stdin|stdout|stderr|tty)",
)
_NO_PATH = re.compile("|".join(_NO_PATHS))
_PLACE = re.compile(r"(?::\d+){1,2}:?$|#L\d+(?:-L?\d+)?$")  # in a file
_PASSING = re.compile(
    r"--[a-z][\w-]+|\d{1,3}|"
    r"\d+(?:\.\d+)? ?(?:[nµm]?s|sec(?:onds?)?|min(?:utes?)?|h|hours?|days?|weeks?)"
)
_MEASURE = re.compile(r"([\d.]+)([^\W\d]+|%)")
_EDGE_BEFORE, _EDGE_AFTER = ":%+,", ".:-,+%"


def names_in(text: str) -> Iterator[Name]:
    """Yield the names of a text in order of their places, each time that they stand there; code in
    backticks comes last."""
    for match in (
        _matches(text) if "://" in text else _CANDIDATE_WITHOUT_URL.finditer(text)
    ):
        kind = match.lastgroup
        if kind == "token":
            token = match[0]
            if _is_plain_word(token):
                continue
            start = match.start()
            for offset, name, name_kind in _token_names(token):
                yield Name(name, name_kind, start + offset)
        elif kind == "url":
            # The signs of the sentence around an address are none of its own.
            if url := match[0].rstrip(".,;:!?*"):
                yield Name(url[:_MAX_URL], NameKind.URL, match.start())
        else:
            yield Name(match[0], NameKind.NUMBER, match.start())
    if "`" in text:
        yield from _quoted_code(text)


def distinct_names(text: str) -> dict[str, NameKind]:
    """Return the names of a text with the kind of their first place, in the order of ``names_in``:
    a search that is faster than for all their places."""
    names = dict[str, NameKind]()
    if "://" in text:
        for found in names_in(text):
            names.setdefault(found.text, found.kind)
        return names
    # In long outputs the same tokens come again: each is judged once.
    for number, token in dict.fromkeys(_CANDIDATE_WITHOUT_URL.findall(text)):
        if number:
            names.setdefault(number, NameKind.NUMBER)
        elif not _is_plain_word(token):
            for _, name, kind in _token_names(token):
                names.setdefault(name, kind)
    if "`" in text:
        for found in _quoted_code(text):
            names.setdefault(found.text, found.kind)
    return names


def _is_plain_word(token: str) -> bool:
    # The most common token by far, and no name.
    return token.isalpha() and token[1:].islower()


def names_of(text: str) -> frozenset[str]:
    """Return the names of a text as they are compared, each once."""
    return frozenset(map(canonical, distinct_names(text)))


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the candidates of a text; an address that other characters touch begins after them."""
    end = 0
    while match := _CANDIDATE.search(text, end):
        end = match.end()
        if (
            (token := match["token"])
            and "://" in token
            and (url := _ADDRESS.search(text, match.start(), end))
        ):
            start = url.start()
            if before := _CANDIDATE.fullmatch(text, match.start(), start):
                yield before
            match = _CANDIDATE.match(text, start) or match
            end = match.end()
        yield match


def _quoted_code(text: str) -> Iterator[Name]:
    for match in _QUOTED.finditer(text):
        content = match[1].strip()
        if _NO_PATH.fullmatch(content):
            continue
        if _CODE.fullmatch(content) and not any(
            name == content for _, name, _ in _token_names(content)
        ):
            yield Name(content, NameKind.CODE, match.start(1) + match[1].index(content))


def canonical(name: str) -> str:
    """Return how a name is compared: numbers without separators and blanks, paths without ``./``
    and a last stroke."""
    if name[0].isdigit() and not name.isalnum():
        return name.replace(",", "").replace("_", "").replace(" ", "")
    return name.removeprefix("./").rstrip("/") or name


def spellings(name: str) -> tuple[str, ...]:
    """Return the ways to write what is compared as one name: 12,000, 12_000 and 12000; 30 s, 30s."""
    plain = canonical(name)
    others = [name, plain] if name[0].isdigit() else [plain]
    if plain.isdecimal():
        others += [f"{int(plain):,}", f"{int(plain):_}"]
    elif measured := _MEASURE.fullmatch(plain):
        others.append(f"{measured[1]} {measured[2]}")
    return tuple(dict.fromkeys(others))


def is_passing(name: str) -> bool:
    """Return whether a name is what a single command or output brings: an option of a command, a
    whole number below 1,000, a duration. Nobody needs it later but for what the person says."""
    return _PASSING.fullmatch(name) is not None


@lru_cache(maxsize=5_000)
def _token_names(token: str) -> tuple[tuple[int, str, NameKind], ...]:
    """Return the names in a run of characters without blanks: where, the name, its kind."""
    text = token.lstrip(_EDGE_BEFORE)
    offset = len(token) - len(text)
    text = text.rstrip(_EDGE_AFTER)
    place = _PLACE.search(text)
    if place:
        whole = text[: place.start()]
    else:
        whole = text
    # Only a file has lines: "pool.py:14" names the file, "retry:14" two things.
    if (found := _name(whole)) and (whole == text or found[1] is NameKind.PATH):
        return ((offset, *found),)
    # Linked words such as "std::vector" are one name; "key:value" is two.
    if ":" not in text:
        return ()
    names = []
    for part in text.split(":"):
        if found := _name(part.strip(_EDGE_AFTER)):
            names.append((offset + len(part) - len(part.lstrip(_EDGE_AFTER)), *found))
        offset += len(part) + 1
    return tuple(names)


def _name(text: str) -> tuple[str, NameKind] | None:
    # "#7" is short and names an issue all the same.
    if not 3 <= len(text) <= MAX_LENGTH and not text.startswith("#"):
        return None
    # A plain word is a name only with a capital inside, as "TypeScript".
    if _WORDLIKE.fullmatch(text) and not _has_inner_capital(text):
        return None
    match = _NAME.fullmatch(text)
    if match is None or text in _COMMON or _NO_PATH.fullmatch(text):
        return None
    if not any(map(str.isalnum, text)):
        return None
    return text, _KINDS.get(match.lastgroup or "", NameKind.IDENTIFIER)


def _has_inner_capital(text: str) -> bool:
    return "/" not in text and text[1:] != text[1:].lower() and not text.isupper()
