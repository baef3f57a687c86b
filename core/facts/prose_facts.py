"""Decisions, findings, values, URLs and identifiers in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.facts.sentences import sentences, shorten

_DECIDES = re.compile(
    r"\b(decided|we'll (?:use|go|keep)|going with|chose|chosen|settled on|opted|agreed|"
    r"the (?:fix|cause) (?:is|was)|root cause|rather than|instead of|because|so that|turns out)\b",
    re.IGNORECASE,
)
_STARTS_WORK = re.compile(
    r"^(?:let me|now (?:let|i)|i'll|i will|i(?:'m| am) going to|let's|perfect|great|good|looking (?:at|for)|"
    r"next,|first,)(?!\w)",
    re.IGNORECASE,
)
_PLANS = re.compile(r"\b(?:i (?:need|have) to|i should|i'll|let me)\b", re.IGNORECASE)
_NAME = re.compile(
    r"`[^`\n]{2,60}`|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+_\w+\b|\b[\w-]+/[\w./-]+\b|\b\d+\b"
)
_IDENTIFIER = re.compile(
    r"`([A-Za-z_][\w.:()/-]{3,48})`|\b([a-z]{2,}(?:[A-Z][a-z0-9]+)+)\b|\b((?:[A-Z][a-z0-9]+){2,})\b|"
    r"\b([A-Za-z]\w*_\w+)\b"
)
_TAG = re.compile(r"</?[a-z][a-z0-9_-]*(?: [^<>\n]*)?>")
_URL = re.compile(r"https?://[^\s<>\"'`)\]}]+")
_PLACE = re.compile(r":\d+:\d+$")  # of a stack trace
_NOUNS = (
    "port|version|timeout|limit|threshold|size|budget|retries|python|node|maximum|minimum|max|min|tolerance"
)
_NUMBER = r"v?\d[\d.,]*(?:\s?(?:%|(?:ms|s|min|h|px|k|kb|mb|gb|tokens|seconds|minutes|hours|days|bytes)\b))?"
_VALUE = re.compile(
    rf"(?<![\w./#?&-])(?:(`?[A-Za-z][\w.-]*(?:_[\w.-]+)?`?)(?:[ \t]*=|:[ \t])[ \t]*|"
    rf"(`?(?:{_NOUNS})`?|`?[A-Za-z]\w*_\w+`?)(?:[ \t]+(?:is|to|of|at|now|was))*[ \t]+)({_NUMBER})"
    r"(?![\w/:-]|[ \t]*[*+(]|[ \t]+of\b)",
    re.IGNORECASE,
)
_SETTING = re.compile(rf"(?:{_NOUNS})$|[_-]|[a-z][A-Z]|^[A-Z]+$|(?:{_NOUNS.title()})$")
_NO_KEYS = frozenset(
    ["line", "lines", "step", "phase", "task", "tasks", "exit", "code", "note", "pr", "issue", "day", "part"]
)
_FILE = re.compile(r"\.[a-z]{1,4}$")
_COMMON = frozenset(
    ["JavaScript", "TypeScript", "GitHub", "README", "node_modules", "GitLab", "macOS", "OpenAI"]
)


def decisions(text: str) -> Iterator[str]:
    """Yield sentences that state a choice or its reason, and name something."""
    for sentence in sentences(text, headings=False):
        if not 25 <= len(sentence) <= 320 or sentence.endswith("?") or _STARTS_WORK.match(sentence):
            continue
        if _DECIDES.search(sentence) and _NAME.search(sentence):
            yield sentence


def findings(text: str) -> Iterator[tuple[str, int]]:
    """Yield sentences with identifiers, and the number of these; announcements are skipped."""
    for sentence in sentences(text, headings=False):
        if (
            not 40 <= len(sentence) <= 320
            or sentence.rstrip("*").endswith((":", "?"))
            or _STARTS_WORK.match(sentence)
            or _PLANS.search(sentence)
        ):
            continue
        names = len(set(identifiers(sentence)))
        if names:
            yield sentence, names


def urls(text: str) -> Iterator[str]:
    """Yield URLs without trailing punctuation."""
    if "://" in text:
        for match in _URL.finditer(text):
            url = match[0].rstrip(".,;:!?*")
            if not _PLACE.search(url):
                yield url


def numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield keys and their numbers, except arguments of calls and numbers that count nouns."""
    for match in _VALUE.finditer(text):
        key = (match[1] or match[2]).strip("`.")
        if len(key) <= 2 or key.lower() in _NO_KEYS or _FILE.search(key):
            continue
        if match[1] and not _is_value(match, key, text):
            continue
        yield key, match[3].rstrip(".,")


def _is_value(match: re.Match[str], key: str, text: str) -> bool:
    """Return False for ``sent=0`` as an argument and for words before a colon that are not settings."""
    between = text[match.end(1) : match.start(3)]
    if "=" not in between:
        value = match[3].rstrip(".,")
        return bool(_SETTING.search(key)) or not value[-1:].isdigit() or "." in value
    before, after = text[max(0, match.start() - 2) : match.start()], text[match.end() : match.end() + 1]
    if between == "=" and not _SETTING.search(key):
        return False
    return between != "=" or not (before.endswith("(") or (before == ", " and after in (",", ")")))


def identifiers(text: str) -> Iterator[str]:
    """Yield identifiers as code spells them, except those of tags."""
    for match in _IDENTIFIER.finditer(_TAG.sub(" ", text) if "<" in text else text):
        name = match[match.lastindex or 0]
        if name not in _COMMON:
            yield name


def leading_sentences(text: str, limit: int, *, titles: bool = False, max_sentences: int = 0) -> str:
    """Return the first meaningful sentences of a text, at most ``limit`` characters, on one line.
    Announcements ("Now let me look …") are replaced by what follows them, if anything does. With ``titles``
    every sentence counts, as in a user's text. ``max_sentences``: number of sentences; 0 for any."""
    chosen: list[str] = []
    fallback = ""
    remaining = limit
    for sentence in sentences(text):
        words = sentence if titles else sentence.replace("**", "")
        if not titles and (_STARTS_WORK.match(words) or len(words) < 12 or _opens_a_list(words)):
            fallback = fallback or words
            continue
        if chosen and (len(words) > remaining or (max_sentences and len(chosen) >= max_sentences)):
            break
        chosen.append(words)
        remaining -= len(words) + 1
    while len(chosen) > 1 and chosen[-1].endswith(":"):
        chosen.pop()
    closed = [words if words[-1] in ".!?:;,…" else f"{words};" for words in chosen[:-1]]
    return shorten(" ".join((*closed, *chosen[-1:])) or fallback, limit)


def is_announcement(sentence: str) -> bool:
    """Return True for an announcement ("Now let me look …", "Here it is:")."""
    return bool(_STARTS_WORK.match(sentence)) or sentence.endswith(":")


def _opens_a_list(words: str) -> bool:
    """Return True for a line with a colon that only introduces a list."""
    return words.endswith(":") and (len(words) < 25 or words.lower().startswith(("here is", "here's")))


def last_question(text: str) -> str:
    return next((words for words in reversed(tuple(sentences(text))) if words.endswith("?")), "")


def outside_fences(text: str) -> str:
    return "".join(text.split("```")[::2]) if "```" in text else text
