"""Redacts secrets in texts and JSON (keys, tokens, private keys, mail addresses), and searches for
them: keys by their prefix, values by their name, also escaped, encoded or wrapped."""

from __future__ import annotations

import base64
import binascii
import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TypeAlias

import orjson

from core.common.json_value import Json
from core.common.secret_rules import (
    PREFIXES,
    RULES,
    find_by_prefix,
    find_named,
)
from core.common.secret_values import (
    RankedSecret,
    compiled,
    decoded_text,
    is_random,
)

# Search for secrets: keys by their prefix, values by their name, also escaped, encoded or
# wrapped.
#
# A wrapped key is found in a view of the text without the line breaks inside words, an escaped
# one in a view without escapes and colour codes.


_WORD = re.compile(
    r"(?<![A-Za-z0-9+/=_\-])([A-Za-z0-9+/]{24,8000}+={0,6})(?![A-Za-z0-9+/_\-])"
)
"""A word that may be encoded. Longer ones are images; a file of keys is shorter."""
_LONG_WORD = re.compile(r"[A-Za-z0-9+/]{24}")
"""What such a word has; most texts have none, which this tells much sooner."""
_HEX = re.compile(r"(?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+")
_BASE32 = re.compile(r"[A-Z2-7]+={0,6}")
_HEAD = 16  # characters of a word that tell whether it is the base64 of a text
_SEPARATORS = " :,"
_LEAST = 16  # bytes of a list; shorter ones hold no key
_BYTES = re.compile(
    rf"(?:[2-7][0-9a-fA-F][ :,]){{{_LEAST},4000}}+(?:[2-7][0-9a-fA-F](?![0-9a-zA-Z]))?"
    rf"|(?:[01][0-7]{{2}}[ ,]){{{_LEAST},4000}}+(?:[01][0-7]{{2}}(?![0-9a-zA-Z]))?"
)
"""Bytes of printable text as a list, as dumps show them: in hex or in octal."""
_THREE_BYTES = re.compile(
    r"[ :,][0-7][0-7a-fA-F]{1,2}[ :,][0-7][0-7a-fA-F]{1,2}[ :,][0-7]"
)
"""What such a list has: a search that begins with a separator tells it much sooner."""


def encoded_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each encoded word, and its text."""
    for match in _WORD.finditer(text) if _LONG_WORD.search(text) else ():
        for decoded in _decoded(match[1]):
            yield match.start(1), match.end(1), decoded
    for match in _BYTES.finditer(text) if _THREE_BYTES.search(text) else ():
        digits = match[0].rstrip(_SEPARATORS)
        base = 16 if digits[2] in _SEPARATORS else 8
        signs = (chr(int(item, base)) for item in re.split(f"[{_SEPARATORS}]", digits))
        yield match.start(), match.start() + len(digits), "".join(signs)


def _decoded(word: str) -> Iterator[str]:
    if _HEX.fullmatch(word):
        yield _ascii(bytes.fromhex(word))
        return
    if decoded_text(word[:_HEAD]):
        yield decoded_text(word)
    if _BASE32.fullmatch(word):
        digits = word.rstrip("=")
        try:
            yield _ascii(base64.b32decode(digits + "=" * (-len(digits) % 8)))
        except binascii.Error:
            return


def _ascii(data: bytes) -> str:
    if data.isascii():
        return data.decode("ascii")
    return ""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at characters [start, end) of a text; ``kind`` is such as "github-token"."""

    start: int
    end: int
    kind: str


_MIN_LENGTH = 8  # of a text that may hold a secret
_MARKS = tuple(
    (mark, rank, rule)
    for rank, rule in enumerate(RULES, len(PREFIXES))
    for mark in rule.marks
)
_NAMED = len(PREFIXES) + len(RULES)  # rank of the first rule for values behind names


NOT_SEARCHED = "not-searched"
"""The kind of a text that could not be searched: it counts as a secret as a whole."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets of a text in order, without overlaps; also those in base64 and over line
    breaks. Never raises: a text in which the search fails is one secret of the kind NOT_SEARCHED,
    so that a save goes on, says so, and writes nothing unsearched where secrets are redacted."""
    if len(text) < _MIN_LENGTH:
        return ()
    try:
        if len(text) <= _SHORT:
            return _find_in_short(text)
        return _find(text)
    except Exception:  # whatever it is, it must not cost the user the file
        return (Secret(0, len(text), NOT_SEARCHED),)


def _find(text: str) -> tuple[Secret, ...]:
    changes = [_unescaped(match) for match in _ESCAPE.finditer(text)]
    if not changes:
        found = _secrets_in_lines(text)
        if found:
            return without_overlaps(found)
        return ()
    view = _view(text, changes)
    found = [
        Secret(
            view.source_start(secret.start), view.source_end(secret.end), secret.kind
        )
        for secret in _secrets_in_lines(view.text)
    ]
    return without_overlaps([*found, *_sorted(_find_by_rules(text, in_source=True))])


_SHORT = 64  # characters; of such texts (names, ids, paths) a transcript repeats three in four
_find_in_short = lru_cache(maxsize=4096)(_find)


def without_overlaps(secrets: Iterable[Secret]) -> tuple[Secret, ...]:
    """Return secrets in order, overlapping ones merged; the first one, or the longest, sets the
    kind.

    A key before an ``@`` is not a mail address.
    """
    ordered = sorted(secrets, key=lambda secret: (secret.start, -secret.end))
    keys = _merged(secret for secret in ordered if secret.kind != "mail")
    ends = [key.end for key in keys]

    def is_free(mail: Secret) -> bool:
        following = bisect_right(ends, mail.start)
        return following == len(keys) or keys[following].start >= mail.end

    mails = _merged(
        secret for secret in ordered if secret.kind == "mail" and is_free(secret)
    )
    return tuple(sorted([*keys, *mails], key=lambda secret: secret.start))


def _merged(ordered: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in ordered:
        if not merged or secret.start >= merged[-1].end:
            merged.append(secret)
        elif secret.end > merged[-1].end:
            merged[-1] = Secret(merged[-1].start, secret.end, merged[-1].kind)
    return merged


def _secrets_in_lines(text: str) -> list[Secret]:
    found = [*_plain(text), *_find_encoded(text)]
    if "\n" in text:
        found += [
            secret
            for lines in _joined_line_runs(text)
            for secret in _find_across_breaks(lines, found)
        ]
    return found


def _plain(text: str, breaks: Sequence[int] = ()) -> list[Secret]:
    """Return the secrets that are neither encoded nor broken; at the same place the first rule
    wins."""
    named = find_named(text, _NAMED, is_joined=bool(breaks))
    return _sorted([*find_by_prefix(text, breaks), *_find_by_rules(text), *named])


def _sorted(secrets: Iterable[RankedSecret]) -> list[Secret]:
    return [Secret(start, -end, kind) for start, end, _, kind in sorted(secrets)]


def _find_by_rules(text: str, *, in_source: bool = False) -> Iterator[RankedSecret]:
    rules = {rank: rule for mark, rank, rule in _MARKS if mark in text}
    for rank, rule in rules.items():
        if in_source and not rule.in_source:
            continue
        for match in compiled(rule.pattern).finditer(text):
            if rule.check:
                kind = rule.check(match)
            else:
                kind = rule.kind
            if kind:
                group = match.lastindex or 0
                yield (match.start(group), -match.end(group), rank, kind)


def _find_encoded(text: str) -> Iterator[Secret]:
    """Yield encoded words that contain a secret other than a mail address."""
    for start, end, decoded in encoded_words(text):
        found = _plain(decoded) if decoded else ()  # most words are paths and digests
        kind = next((secret.kind for secret in found if secret.kind != "mail"), "")
        if kind:
            yield Secret(start, end, kind)


_Change: TypeAlias = tuple[int, int, str]
"""Characters [start, end) of a source, and the character that replaces them, or ""."""


@dataclass(frozen=True, slots=True)
class _View:
    """A view of a source text, and the source positions of its characters.

    A stretch of the view begins at ``starts[i]``; it was taken from the source at ``sources[i]``,
    and the stretch before it ends there at ``ends[i]``.
    """

    text: str
    starts: list[int]
    sources: list[int]
    ends: list[int]

    def source_start(self, position: int) -> int:
        """Return the source position of a match that begins at ``position``."""
        index = bisect_right(self.starts, position) - 1
        return self.sources[index] + position - self.starts[index]

    def source_end(self, position: int) -> int:
        """Return the source position of a match that ends at ``position``."""
        index = bisect_left(self.starts, position)
        if index < len(self.starts) and self.starts[index] == position:
            return self.ends[index]
        return self.sources[index - 1] + position - self.starts[index - 1]


def _view(
    text: str, changes: Iterable[_Change], begin: int = 0, end: int | None = None
) -> _View:
    parts: list[str] = []
    starts, sources, ends = [0], [begin], [begin]
    view_position, source_position = 0, begin
    for first, last, replacement in changes:
        parts += (text[source_position:first], replacement)
        view_position += first - source_position
        if replacement:
            starts.append(view_position)
            sources.append(first)
            ends.append(first)
            view_position += 1
        starts.append(view_position)
        sources.append(last)
        ends.append(last if replacement else first)
        source_position = last
    return _View("".join([*parts, text[source_position:end]]), starts, sources, ends)


_ESCAPE = re.compile(
    r"[\\%\x1b&](?:"
    r"(?<=\\)(?<!\\\\)\\*+(?:(?P<sign>[\"'/nrt])|u00(?P<code>[2-7][0-9a-fA-F])"
    r"|(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,12}[mK]"
    r"|x(?P<hex>[2-7][0-9a-fA-F])|(?P<octal>0[4-7][0-7]|1[0-7]{2}))"
    r"|(?<=%)(?:25){0,3}(?P<percent>[2-7][0-9A-Fa-f]|0[aAdD])"
    r"|(?<=\x1b)\[[0-9;]{0,12}[mK]"
    r"|(?<=&)(?P<entity>quot|apos|amp|lt|gt|#3[49]|#x2[27]);"
    r")"
)
"""Escapes of JSON (nested any number of times), URLs, HTML and terminals."""
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
_ENTITIES = {"apos": "'", "amp": "&", "lt": "<", "gt": ">", "#39": "'", "#x27": "'"}


def _unescaped(match: re.Match[str]) -> _Change:
    sign = ""
    if found := match["sign"]:
        sign = _SIGNS.get(found, found)
    elif code := match["code"] or match["percent"] or match["hex"]:
        sign = chr(int(code, 16))
    elif code := match["octal"]:
        sign = chr(int(code, 8))
    elif entity := match["entity"]:
        sign = _ENTITIES.get(entity, '"')
    return match.start(), match.end(), sign


_TOKEN_SIGNS = f"{string.ascii_letters}{string.digits}_-+/=.:"
_T = r"[A-Za-z0-9_\-+/=.:]"
_LEAD = r"[ \t]{0,40}+(?:[0-9]{1,6}(?:\t|→|[|│]) ?)?(?:[+\-] {0,8}(?=.)|[>#] )?[\"']?"
_BREAK = re.compile(
    rf"\n(?:(?<={_T}\n)|(?<={_T}[\"'\\\r]\n)|(?<={_T}[\"'][,+]\n)|(?<={_T}[\"'] [+\\]\n)|(?<={_T} \\\n))"
    rf"{_LEAD}(?={_T})"
)
"""A line break inside a word, with what editors, patches, shells and lists of texts add around
it."""
_RUN = re.compile(rf"{_T}++")
_CONTEXT = 240  # characters searched before and after a break
_NARROW = (
    40  # characters of a line; a shorter one is part of a key only if it is no word
)
_SLACK = 8  # by how many characters the lines of one wrapped word differ
_MAX_CHAIN = 6_000  # characters of one word over many lines
# Characters of a word that may be a key; of one with a digit: a password.
_MIN_KEY, _MIN_PASSWORD = (
    16,
    8,
)


@dataclass(frozen=True, slots=True)
class _JoinedLines:
    """Lines of a text without the breaks inside their words.

    ``breaks`` are places in the view, ``widths`` the characters of the line before each of them.
    """

    view: _View
    breaks: tuple[int, ...]
    widths: tuple[int, ...]


def _joined_line_runs(text: str) -> Iterator[_JoinedLines]:
    """Yield every run of lines that a long word may span."""
    chain: list[re.Match[str]] = []
    for match in _BREAK.finditer(text):
        if chain and not _fills_line(text, chain, match):
            yield from _joined_lines(text, chain)
            chain = []
        chain.append(match)
    if chain:
        yield from _joined_lines(text, chain)


def _fills_line(text: str, chain: list[re.Match[str]], match: re.Match[str]) -> bool:
    """Return True if a word fills the line between two breaks, as full as the previous line."""
    if match.start() - chain[0].start() > _MAX_CHAIN:
        return False
    previous_break = chain[-1].start()
    previous_start = max(text.rfind("\n", 0, previous_break), previous_break - _CONTEXT)
    length = match.start() - previous_break
    # All lines but the last of a text that was broken at a width are about as long.
    least = max(previous_break - previous_start - _SLACK, _MIN_PASSWORD)
    if length < least:
        return False
    word_run = _RUN.match(text, chain[-1].end())
    if word_run is None or word_run.end() < match.start() - 3:
        return False
    # In a narrow column a plain word may fill a line, too.
    if length >= _NARROW or is_random(word_run[0]):
        return True
    return _MIXED.search(word_run[0]) is not None


def _joined_lines(text: str, chain: list[re.Match[str]]) -> Iterator[_JoinedLines]:
    first = chain[0].start()
    last = chain[-1].end()
    begin = max(text.rfind("\n", 0, first) + 1, first - _CONTEXT)
    text_before = text[begin:first].rstrip("\"'\\, \r")
    word_run = _RUN.match(text, last)
    word = text_before[len(text_before.rstrip(_TOKEN_SIGNS)) :] + (
        word_run[0] if word_run else ""
    )
    may_be_key = len(word) >= (
        _MIN_PASSWORD if any(map(str.isdigit, word)) else _MIN_KEY
    )
    if len(chain) == 1 and not may_be_key:
        return
    end = text.find("\n", last, last + _CONTEXT)
    changes = []
    for match in chain:
        word_end = match.start()
        while text[word_end - 1] not in _TOKEN_SIGNS:
            word_end -= 1
        changes.append((word_end, match.end(), ""))
    view = _view(text, changes, begin, end if end >= 0 else last + _CONTEXT)
    lines = (begin, *(match.start() for match in chain))
    yield _JoinedLines(
        view,
        tuple(view.starts[1:]),
        tuple(end - start for start, end in pairwise(lines)),
    )


def _find_across_breaks(
    lines: _JoinedLines, known: Sequence[Secret]
) -> Iterator[Secret]:
    """Yield the secrets that span a break of these lines, up to where they end."""
    text, view = lines.view.text, lines.view
    end_by_start = {secret.start: secret.end for secret in known}
    for secret in (*_plain(text, lines.breaks), *_find_encoded(text)):
        crossed_breaks = [
            position
            for position in lines.breaks
            if secret.start < position < secret.end
        ]
        if not crossed_breaks or (
            secret.kind == "mail" and "@" not in text[secret.start : crossed_breaks[0]]
        ):
            continue
        start = view.source_start(secret.start)
        is_alone = end_by_start.get(start, 0) == view.source_end(crossed_breaks[0])
        end = _secret_end(lines, secret, crossed_breaks, is_alone)
        if end > crossed_breaks[0]:
            yield Secret(start, view.source_end(end), secret.kind)


def _secret_end(
    lines: _JoinedLines, secret: Secret, crossed_breaks: Sequence[int], is_alone: bool
) -> int:
    """Return where a secret ends; ``is_alone``: the part before its first break is a secret by
    itself."""
    text = lines.view.text
    is_named = secret.kind in ("secret", "password")
    for part_start, part_end in pairwise((*crossed_breaks, secret.end)):
        after = text[part_end : part_end + 1]
        width = lines.widths[lines.breaks.index(part_start)]
        is_whole = (
            is_alone or (is_named and after != "@") or part_start != crossed_breaks[0]
        )
        if not _continues(text[part_start:part_end], after, width, is_whole):
            return part_start
    return secret.end


_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Z][a-z]{0,2}[A-Z]")
_NAME = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})(?:[_\-](?:[A-Z]?[a-z]+|[A-Z]+))*")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.\-]*[=:][^=\s]")
_WIDE = 60  # least characters of a line that was broken because it was full


def _continues(part: str, after: str, width: int, is_whole: bool) -> bool:
    """Return True if the beginning of a line continues a key and is not an unrelated word.

    ``is_whole``: the part before the break may be all of it.
    """
    is_name = _NAME.fullmatch(part) is not None
    if not is_whole:
        is_upper_word = part.isalpha() and part.isupper()
        return len(part) < 5 or is_upper_word or not is_name
    # The next line assigns, calls or opens something of its own.
    if after in ("=", ":", "(", "[") or _ASSIGNED.match(part):
        return False
    if any(map(str.isdigit, part)):
        # A short part before a blank may be the number of a line or of a list.
        is_short_word = after == " " and len(part) <= 5
        return not is_short_word or width >= _WIDE
    return _MIXED.search(part) is not None and not is_name


__all__ = ["Secret", "find_secrets", "redact", "redact_json", "without_overlaps"]

_PROBE = "a1b2c3d4e5f6g7h8i9j0"
"""A value that counts as a secret only after a field name that announces one."""

SecretFinder: TypeAlias = Callable[[str], Sequence[Secret]]


def redact(text: str, find: SecretFinder = find_secrets) -> tuple[str, int]:
    """Return the text with every secret as ``[redacted:kind]``, and their number."""
    secrets = find(text)
    return masked_text(text, secrets), len(secrets)


def redact_except_mail(text: str) -> str:
    """Return the text with every secret but mail addresses redacted: a file of the user may be
    named so."""
    return masked_text(
        text, [secret for secret in find_secrets(text) if secret.kind != "mail"]
    )


def contains_key(text: str) -> bool:
    """Return True for a text with a secret other than a mail address."""
    return any(secret.kind != "mail" for secret in find_secrets(text))


def count_secrets(texts: Iterable[str]) -> int:
    """Return how many secrets stand in texts."""
    return sum(len(find_secrets(text)) for text in texts)


def masked_text(text: str, secrets: Sequence[Secret]) -> str:
    """Return the text with ``[redacted:kind]`` for each secret; without it for the rest of one."""
    parts: list[str] = []
    position = 0
    for secret in secrets:
        parts += (
            text[position : secret.start],
            f"[redacted:{secret.kind}]" if secret.kind else "",
        )
        position = secret.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True)
class SecretsInField:
    """Secrets in one text of an object or a list; kind "" is the rest of one from the text
    before."""

    key: str | int
    text: str
    secrets: Sequence[Secret]

    @property
    def whole(self) -> list[Secret]:
        return [secret for secret in self.secrets if secret.kind]


def redact_json(value: Json, find: SecretFinder = find_secrets) -> int:
    """Redact every text inside a parsed list or object, in place; return the count.

    Field names stay unless they contain a secret. Iterative, since nesting may be deep.
    """
    count = 0
    stack: list[Json] = [value]
    while stack:
        container = stack.pop()
        if isinstance(container, dict):
            count += _redact_names(container)
        if not isinstance(container, dict | list):
            continue
        parsed = _json_texts(container)
        for key, inner in parsed.items():
            if found := redact_json(inner, find):
                container[key] = orjson.dumps(inner).decode()  # type: ignore[index]
                count += found
        for field in list(_secrets_in(container, parsed.keys(), find)):
            container[field.key] = masked_text(field.text, field.secrets)  # type: ignore[index]
            count += len(field.whole)
        stack += container.values() if isinstance(container, dict) else container
    return count


def find_secrets_in_json(
    value: Json, find: SecretFinder = find_secrets
) -> Iterator[SecretsInField]:
    stack: list[Json] = [[value] if isinstance(value, str) else value]
    while stack:
        container = stack.pop()
        if isinstance(container, dict | list):
            parsed = _json_texts(container)
            yield from _secrets_in(container, parsed.keys(), find)
            stack += parsed.values()
            stack += container.values() if isinstance(container, dict) else container


def secret_texts_in_json(
    value: Json, find: SecretFinder = find_secrets
) -> Iterator[str]:
    for field in find_secrets_in_json(value, find):
        yield from (field.text[secret.start : secret.end] for secret in field.whole)


def count_secrets_in_json(value: Json, find: SecretFinder = find_secrets) -> int:
    """Return how many secrets the texts and the names of the fields contain."""
    count = sum(1 for _ in secret_texts_in_json(value, find))
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            count += sum(len(_secrets_in_name(name)) for name in inner)
        if isinstance(inner, dict | list):
            stack += inner.values() if isinstance(inner, dict) else inner
    return count


def _secrets_in(
    container: dict[str, Json] | list[Json], parsed: Set[str | int], find: SecretFinder
) -> Iterator[SecretsInField]:
    """Yield the secrets in the texts of an object or a list, except those that were ``parsed`` as
    JSON."""
    if isinstance(container, dict):
        for key, inner in container.items():
            is_text = isinstance(inner, str) and key not in parsed
            if is_text and (secrets := _secrets_in_field(container, key, inner, find)):
                yield SecretsInField(key, inner, secrets)
        return
    plain = groupby(
        enumerate(container),
        lambda entry: isinstance(entry[1], str) and entry[0] not in parsed,
    )
    for is_text, group in plain:
        if is_text:
            yield from _secrets_in_texts(
                [(index, str(text)) for index, text in group], find
            )


def _secrets_in_texts(
    texts: list[tuple[int, str]], find: SecretFinder
) -> Iterator[SecretsInField]:
    """Yield the secrets of adjacent texts: an option and its value, or the lines of one text."""
    secrets = find("\n".join(text for _, text in texts))
    begin, secret_index = 0, 0
    for index, text in texts if secrets else ():
        end = begin + len(text)
        text_secrets = []
        for secret in secrets[secret_index:]:
            if secret.start >= end:
                break
            start, kind = (
                (secret.start, secret.kind) if secret.start >= begin else (begin, "")
            )
            text_secrets.append(
                Secret(start - begin, min(secret.end, end) - begin, kind)
            )
            secret_index += secret.end <= end
        if text_secrets:
            yield SecretsInField(index, text, text_secrets)
        begin = end + 1


def _secrets_in_field(
    container: dict[str, Json], key: str, text: str, find: SecretFinder
) -> Sequence[Secret]:
    """Return the secrets of a text in an object; the name of its field may mark it as one.

    A field ``value`` has the name that is beside it.
    """
    if key.lower() == "value":
        key = next(
            (
                name
                for field in ("name", "key")
                if isinstance(name := container.get(field), str)
            ),
            key,
        )
    if "kty" in container and len(key) <= 2:  # a JSON web key
        before = f'kty,"{key}":"'
    elif key == "key" and "username" in container:  # the key file of Kaggle
        before = 'kaggle_api_key="'
    elif _is_secret_name(key):
        before = f'{key}="'
    else:
        return find(text)
    start = len(before)
    found = find(f'{before}{text}"')
    return [
        Secret(one.start - start, one.end - start, one.kind)
        for one in found
        if one.start >= start
    ]


def _json_texts(container: dict[str, Json] | list[Json]) -> dict[str | int, Json]:
    """Return the texts of an object or a list that are JSON objects or lists, parsed.

    Redacted as plain text, a secret after an escape would take half of the escape with it.
    """
    entries = container.items() if isinstance(container, dict) else enumerate(container)
    parsed: dict[str | int, Json] = {}
    for key, text in entries:
        if (
            isinstance(text, str)
            and text.startswith(("{", "["))
            and text.endswith(("}", "]"))
        ):
            try:
                parsed[key] = orjson.loads(text)
            except ValueError:
                continue
    return parsed


@lru_cache(maxsize=1024)
def _is_secret_name(name: str) -> bool:
    """Return True for the name of a field whose value is a secret, such as ``api_key``."""
    return any(find_secrets(f"{name}={probe}") for probe in (_PROBE, f"sid={_PROBE}"))


@lru_cache(maxsize=1024)
def _secrets_in_name(name: str) -> tuple[Secret, ...]:
    return find_secrets(name)


def _redact_names(container: dict[str, Json]) -> int:
    """Redact secrets in the names of an object's fields; no field is lost and the order stays."""
    count = sum(len(_secrets_in_name(name)) for name in container)
    if count:
        entries = list(container.items())
        container.clear()
        for name, inner in entries:
            text = masked = masked_text(name, _secrets_in_name(name))
            while text in container:
                text = f"{text} {masked}"
            container[text] = inner
    return count
