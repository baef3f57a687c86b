"""Secrets that the name before them reveals: in code, settings, tables, XML and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from core.common.redaction.secret_values import (
    RankedSecret,
    compiled,
    is_login,
    is_passphrase,
    is_password,
    is_random_word,
    is_token,
)

QUOTE = "[\"'`]"
ASSIGNMENT = (
    rf"{QUOTE}?\]?(?:[ \t]{{0,60}}(?::[ \t]{{0,4}}(?:str|string|String)[ \t]{{0,4}})?"
    rf"(?:=>|[:=]{{1,2}}|[＝：]|(?<=[ \t])(?:->|→))"
    rf"(?:[ \t]{{0,4}}(?:[>|][+\-]?|\\)?[ \t]{{0,4}}\r?\n[ \t]{{1,40}}|[ \t]{{0,60}}(?!\s))"
    rf"|[ \t]{{1,40}}[|│][ \t]{{1,4}}|,?\s{{1,20}}{QUOTE}?[vV]alue{QUOTE}?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    rf"|>(?=[^<>\s]{{1,200}}</)|</[a-z]{{1,10}}>\s{{0,20}}<[a-z]{{1,10}}>"
    rf"|(?<={QUOTE}),[ \t]?(?={QUOTE})|(?P<cell>[,;\t])|(?P<blank>(?<=[A-Z])[ \t]{{1,20}}))"
)
"""Separates a name and its value: a sign, then blanks or one line break, with what YAML or a shell
writes before that. The name is all of a ``cell``; a ``blank`` stands behind capitals."""
_OLD_VALUE = (
    rf"(?:{QUOTE}[^\"'`\n]{{0,200}}{QUOTE}|[^\s\"'`]{{1,200}})[ \t]{{1,4}}(?:->|=>|→)[ \t]{{1,4}}"
)
"""What a name had before, and the arrow to what it has now."""
_ARROWS = ("->", "=>", "→")
_CALL = r"(?:(?:[A-Za-z_][\w.:]{0,40})?\((?=[\"'`]))?"
"""A call around a literal value: ``String::from("…")``."""
_UNQUOTED = r"(?:&(?![\w.\-]{1,40}=)|[^\s\"'`<>(){}\[\],;|\\&]){4,4000}"
_FIRST_WORD = r"[^\s\"'`]{4,4000}(?=[\"'`\s…]|\Z)"
_LINE = r"[^\s\"'`\\]{4,4000}+(?=\s*(?:\n|\Z))"
"""A value that ends with its line, whatever its signs are."""
_NEXT_WORD = r" (?![^\s=]{1,40}=)([^\s\"'`<>(){}\[\],;|\\&]{2,60})"
_NAME_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_KEY_NAMES = re.compile(
    r"(?:api|access|secret|private|encryption|signing|master|account|storage|shared|auth|admin|service|hmac"
    r"|subscription|deploy|license|consumer|server|app|write|client|functions|credential|webhook|session"
    r"|servicerole|fernet|cookie|crypt|cipher|jwt|nonce|loggedin)key$|keydata$|secretkeybase$"
)
_NO_TOKENS = re.compile(
    r"(?:next|page|continuation|cancel|cancellation|sync|stop|bos|eos|pad|resume|start|end|mask|unk|special"
    r"|max|min|per|num|prev|previous|cursor)token$"
)
_TOKENS = (
    "key_base KEY_BASE oken OKEN ecret ECRET ey EY key-data redential REDENTIAL redentials uth AUTH"
)
_PASSWORDS = "assword asswd assphrase ASSWORD ASSWD ASSPHRASE Pwd pwd PWD _pass _PASS"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A value at characters [start, end) of a text, and the name before it (lower case, no
    dashes)."""

    name: str
    text: str
    start: int
    end: int
    quote: str
    is_shell: bool
    """Assigned to a name in capitals without a blank, as in a shell or a file of settings."""

    @property
    def value(self) -> str:
        """The characters by which it is judged."""
        return self.text[self.start : min(self.end, self.start + _JUDGED)]

    @property
    def after(self) -> str:
        return self.text[self.end : self.end + 1]

    @property
    def is_literal(self) -> bool:
        """Whether it is no name of a variable."""
        return bool(self.quote) or self.is_shell


_Judge: TypeAlias = Callable[[_Value], str]
"""Returns the kind of secret that a value is, or ""."""


def find_named(text: str, first_rank: int, *, is_joined: bool = False) -> Iterator[RankedSecret]:
    """Yield the values of names that announce a secret; of joined lines, whose quotes are gone,
    words."""
    lower = text.lower()
    stems = [
        stem for stem in _STEMS if stem in lower
    ]  # seven searches, not one for each of the tails
    patterns = [ASSIGNMENT + _CALL]
    if any(arrow in text for arrow in _ARROWS):
        patterns.append(ASSIGNMENT + _OLD_VALUE)
    for rank, (stem, tail, judge) in enumerate(TAILS, first_rank):
        if stem in stems and tail in text:
            for pattern in patterns:
                for match in compiled(tail + pattern).finditer(text):
                    if found := _judged(match, tail, judge, is_joined=is_joined):
                        value, kind = found
                        yield (value.start, -value.end, rank, kind)


def _judged(
    match: re.Match[str], tail: str, judge: _Judge, *, is_joined: bool
) -> tuple[_Value, str] | None:
    """Return the longest value behind a name that is a secret, and its kind."""
    text, at = match.string, match.end()
    before = text[max(0, match.start() - 40) : match.start()]
    begin = before[len(before.rstrip(_NAME_SIGNS)) :]
    if match["cell"] and not _is_cell(text, match.start() - len(begin), match["cell"]):
        return None
    if match["blank"] and not ("_" in begin and (begin + tail).isupper()):
        return None
    name = _plain_name(begin + tail)
    if not name.endswith(_ENDS):
        return None
    quote = text[at] if at < len(text) and text[at] in "\"'`" else ""
    if not quote and text[at - 1] in "\"'`":
        quote = text[at - 1]
        at -= 1
    is_shell = tail.isupper() and text[at - 1] in "=＝,;\t" and not match["blank"]
    for start, end in _extents(text, at, quote, to_line_end=is_shell and not match["cell"]):
        if is_joined and any(sign in " (" for sign in text[start:end]):
            continue
        value = _Value(name=name, text=text, start=start, end=end, quote=quote, is_shell=is_shell)
        if kind := judge(value):
            return value, kind
    return None


def _extents(text: str, at: int, quote: str, *, to_line_end: bool) -> Iterator[tuple[int, int]]:
    """Yield how far a value may reach, the longest first."""
    if quote:
        for pattern in (rf"[^{quote}\n]{{4,4000}}+(?={quote})", _FIRST_WORD):
            if match := compiled(pattern).match(text, at + 1):
                yield match.span()
        return
    if to_line_end and (match := compiled(_LINE).match(text, at)):
        yield match.span()
    if match := compiled(_UNQUOTED).match(text, at):
        start, end = match.span()
        more = end
        while (word := compiled(_NEXT_WORD).match(text, more)) and is_random_word(word[1]):
            more = word.end()
        if more > end:
            yield start, more
        yield start, end


def _is_cell(text: str, start: int, separator: str) -> bool:
    """Return True if what begins at ``start`` begins a cell of a row."""
    while start and text[start - 1] in "\"'` ":
        start -= 1
    return not start or text[start - 1] in ("\n", separator)


def judge_token(value: _Value) -> str:
    """Judge a value after ``token``, ``secret``, ``api_key``, ``auth``."""
    name, text = value.name, value.value
    if (value.after in ("(", "[") and value.after) or _NO_TOKENS.search(name):
        return ""
    is_secret = is_token(text, is_literal=value.is_literal) or (
        " " in text and not name.endswith("key") and is_passphrase(text, is_shell=False)
    )
    if name.endswith(("key", "keydata", "keybase")):
        return "secret" if _KEY_NAMES.search(name) and is_secret else ""
    if name.endswith("auth") and is_login(text):
        return "authorization"
    return "secret" if is_secret else ""


def judge_password(value: _Value) -> str:
    """Judge a value after ``password`` and similar names."""
    text, after = value.value, value.after
    if is_token(text):
        return "" if after and after in "([." else "secret"
    if " " in text:
        return "password" if is_passphrase(text, is_shell=value.is_shell) else ""
    if (value.quote and after != value.quote) or (after and after in "([{"):
        return ""
    if value.name.endswith(("pwd", "pass")) and "/" in text:
        return ""
    return "password" if is_password(text, is_literal=value.is_literal) else ""


_ENDS = (
    *("token", "secret", "key", "keydata", "keybase", "credential", "credentials", "auth"),
    *("password", "passwd", "passphrase", "pwd", "pass"),
)
_STEMS = ("oken", "ecret", "ey", "redential", "uth", "ass", "wd")


def _tails(words: str, judge: _Judge) -> Iterator[tuple[str, str, _Judge]]:
    for tail in words.split():
        yield next(stem for stem in _STEMS if stem in tail.lower()), tail, judge


def _judge_whole_name(value: _Value) -> str:
    """Judge a value after a name that is nothing but ``pass``: more words end so."""
    return judge_password(value) if value.name == "pass" else ""


TAILS = (
    *_tails(_TOKENS, judge_token),
    *_tails(_PASSWORDS, judge_password),
    *_tails("pass", _judge_whole_name),
)
"""Ends of names that announce a secret, with the stem of each and how its values are judged."""
_JUDGED = 400  # characters of a value that are judged


def _plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()
