"""Values with their keys in prose and in the output of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOUNS = (
    "port|version|timeout|limit|threshold|size|budget|retries|python|node|maximum|minimum|max|min|tolerance"
)
_NUMBER = r"v?\d[\d.,]*(?:\s?(?:%|(?:ms|s|min|h|px|k|kb|mb|gb|tokens|seconds|minutes|hours|days|bytes)\b))?"
_VALUE = re.compile(
    rf"(?<![\w./#?&-])(?:(`?[A-Za-z][\w.-]*(?:_[\w.-]+)?`?)(?:[ \t]*=|:[ \t])[ \t]*|"
    rf"(`?(?:{_NOUNS})`?|`?[A-Za-z]\w*_\w+`?)"
    rf"(?:[ \t]+(?:is|to|of|at|now|was|stays|remains))*[ \t]+)({_NUMBER})"
    r"(?![\w/:-]|[ \t]*[*+(]|[ \t]+of\b)",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"(?<![\w$])\**([A-Z][\w-]*(?: [\w-]+){0,3})\**(?::\**| is| of| costs?| \()[ \t]*\**((?:[$€£¥]|USD |"
    r"EUR )\d[\d.,]*)"
)
_OUTCOME = re.compile(
    r"(?<![\w.,:/])(\d[\d,]*) (?:tests? |checks? )?(pass(?:ed)?|fail(?:ed|ures)?|errors|warnings|skipped)\b|"
    r"(?<![\w.,:/])(1) (failure|error|warning)\b"
)
_COUNTS = {"pass": "passed", "fail": "failed", "erro": "errors"}
_VERSION = re.compile(
    r"(?<![\w./-])([A-Za-z][A-Za-z_-]{2,})(?: version)?(?:==|: ?| )v?(\d+\.\d+(?:\.\d+)+)\b(?![\w/-])"
)
_QUANTITY = re.compile(
    r"((?:[^\W\d_][\w'-]*\s){0,2}[^\W\d_][\w'-]*)\s?"
    r"(?::|=|\b(?:is|are|of|to|at|be|can have|ist|sind|beträgt|liegt bei|von|auf|est|sont|de|à|es|son|"
    r"max\.?|at most|at "
    r"least|under|below|within|up to|höchstens|mindestens|unter|au plus|sous|limited to|capped at|"
    r"after|nach|après))\s"
    r"(?:at most |at least |up to |max\.? |höchstens |mindestens )?"
    r"((?:[$€£¥]\s?)?\d+(?:[.,]\d+)*(?:\s?(?:%|€|\$|(?:ms|s|min|minutes?|minuten|h|hours?|stunden|heures?|days?|tagen?|jours?|"
    r"weeks?|wochen|months?|years?|px|rem|[kmg]b|tokens|words|characters|entries|euros?|usd|yen|dollars?)\b))?)(?![\w/:-]|[.,]\d)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?<![\w.,])(\d[\d,]*) `([\w.]+)` (?:usages?|uses|calls|references|occurrences)")
_DURATION = re.compile(
    r"\b((?:[a-z]+ )?(?:time|duration|latency|delay)) (?:of|is|was) (\d[\d.,]* ?(?:hours?|minutes?|s|ms|h))\b"
)
_DATE = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.? \d{1,2}(?:, \d{4})?)\b"
)
_OUTPUT = re.compile(r"^([A-Z][A-Z0-9_]{2,})=(\S{1,60})$", re.MULTILINE)
_SETTING = re.compile(rf"(?:{_NOUNS})$|[_-]|[a-z][A-Z]|^[A-Z]+$|(?:{_NOUNS.title()})$")
_NO_KEYS = frozenset(
    ["line", "lines", "step", "phase", "task", "tasks", "exit", "code", "note", "pr", "issue", "day", "part"]
)
_FILE = re.compile(r"\.[a-z]{1,4}$")
_DIGIT = re.compile(r"\d")


def numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield keys and their numbers, except arguments of calls and numbers that count nouns."""
    text = "\n".join(filter(_DIGIT.search, text.split("\n")))
    for match in _VALUE.finditer(text):
        key = (match[1] or match[2]).strip("`.")
        if len(key) <= 2 or key.lower() in _NO_KEYS or _FILE.search(key):
            continue
        if match[1] and not _is_value(match, key, text):
            continue
        yield key, match[3].rstrip(".,")
    for pattern in (_MONEY, _DURATION, _VERSION):
        yield from ((match[1], match[2].rstrip(".,")) for match in pattern.finditer(text))
    for match in _COUNTED.finditer(text):
        yield f"{match[2]} usages", match[1]
    for date in _DATE.findall(text):
        yield f"date of {date}", date


def quantities(text: str) -> Iterator[tuple[str, str]]:
    """Yield the values with a unit that a person states, each with the words before it."""
    for match in _QUANTITY.finditer(text) if _DIGIT.search(text) else ():
        if not match[2].isdigit():
            yield " ".join(match[1].split()), match[2].rstrip(".,")


def outcomes(text: str) -> dict[str, str]:
    """Return counts of a test run and values that a command printed as ``NAME=value``."""
    found = ((match[1] or match[3], match[2] or match[4]) for match in _OUTCOME.finditer(text))
    counts = {_COUNTS.get(noun[:4], noun): number for number, noun in found}
    return counts | dict(_OUTPUT.findall(text))


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
