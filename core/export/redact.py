"""Finding secrets in text (keys, tokens, private keys, mail addresses) and writing over them.

Every pattern begins with a fixed text or a look behind and has no nested repetition, so that a
search takes time linear in the text. A text without one of a rule's marks is not searched for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from core.conversation import Json

_WORD = r"[A-Za-z0-9_\-]"


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: characters [start, end) and what it is ("github-token")."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class _Rule:
    """``marks``: one of them is in every text that the pattern can match. Group 1 is the secret."""

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]


def _prefixed(kind: str, prefix: str, rest: str, *marks: str) -> _Rule:
    """A token with a beginning of fixed length that stands alone, not inside a longer word.

    What is in front is looked at behind the prefix, for a search for fixed text is many times faster.
    A prefix of letters alone may come about inside base64, so that no slash or plus may stand before it.
    """
    before = r"A-Za-z0-9_\-" if re.search("[-_]", prefix) else r"A-Za-z0-9_+/\-"
    start = rf"(?:(?<![{before}]{prefix})|(?<=\\[nrt]{prefix}))"  # also after a line break written as \n
    return _Rule(kind, marks or (prefix,), re.compile(rf"({prefix}{start}{rest})"))


_PEM = r"-----{} (?:[A-Z0-9]{{1,20}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----"
_PEM_BODY = r"(?:[^-]|-(?!----)){0,20000}+" + _PEM.format("END")
_PEM_REST = r"(?:(?:\\[nr]|\s)++[A-Za-z0-9+/=]{20,100}+)++"  # a key whose end was cut off
_HAS_DIGIT = rf"(?={_WORD}{{0,80}}?\d)"
_NAMES = (
    *("secret_access_key", "secret_key", "access_token", "refresh_token", "auth_token", "session_token"),
    *("api_token", "private_token", "id_token", "bot_token"),
    *("client_secret", "app_secret", "api_secret", "signing_secret", "webhook_secret"),
)
_NAMED = "|".join(f"(?<={name})" for name in _NAMES)
_ASSIGNED = (
    r"\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
    r"(?=[A-Za-z_+/\-]{0,80}?\d[A-Za-z_+/\-]{0,80}?\d)(?=[0-9_+/\-]{0,80}?[A-Za-z])"
    r"([A-Za-z0-9_+/\-]{16,}+={0,2})(?![A-Za-z0-9(.\[])"
)
"""A value after a name in small letters: two digits, for names of variables stand there, too."""
_NO_PLACEHOLDER = r"(?![$<{\[%*])"
_MAIL_USER = r"(?<![A-Za-z0-9._%+\-])(?!git@)[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+"
_MAIL_HOST = (
    r"(?:[A-Za-z0-9\-]{1,63}\.){1,5}(?!(?:png|jpe?g|gif|svg|webp|js|ts|py|json|md|css)\b)[A-Za-z]{2,24}"
)

RULES: tuple[_Rule, ...] = (
    _Rule(
        "private-key",
        ("PRIVATE KEY",),
        re.compile(rf"({_PEM.format('BEGIN')}(?:{_PEM_BODY}|{_PEM_REST}))"),
    ),
    _prefixed("anthropic-key", "sk-ant-", rf"{_WORD}{{16,}}"),
    _prefixed("openrouter-key", "sk-or-", rf"{_WORD}{{16,}}"),
    _prefixed("api-key", "sk-", rf"{_HAS_DIGIT}{_WORD}{{20,}}"),
    _prefixed("stripe-key", "[rs]k_(?:live|test)_", r"[A-Za-z0-9]{16,}", "k_live_", "k_test_"),
    _prefixed("github-token", "gh[opsru]_", r"[A-Za-z0-9]{30,}", "gho_", "ghp_", "ghs_", "ghr_", "ghu_"),
    _prefixed("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _prefixed("gitlab-token", "glpat-", rf"{_WORD}{{20,}}"),
    _prefixed("slack-token", "xox[abeoprs]-", r"[A-Za-z0-9\-]{10,}", "xox"),
    _prefixed("slack-token", "xapp-", r"[A-Za-z0-9\-]{20,}"),
    _prefixed("aws-key", "A(?:KIA|SIA)", r"[A-Z0-9]{16}(?![A-Za-z0-9+/=])", "AKIA", "ASIA"),
    _prefixed("google-key", "AIza", rf"{_WORD}{{35}}(?!{_WORD})"),
    _prefixed("google-token", "ya29[.]", rf"{_WORD}{{20,}}", "ya29."),
    _prefixed("google-secret", "GOCSPX-", rf"{_WORD}{{20,}}"),
    _prefixed("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}"),
    _prefixed("groq-key", "gsk_", r"[A-Za-z0-9]{40,}"),
    _prefixed("xai-key", "xai-", r"[A-Za-z0-9]{40,}"),
    _prefixed("npm-token", "npm_", r"[A-Za-z0-9]{36,}"),
    _prefixed("pypi-token", "pypi-", rf"{_WORD}{{50,}}"),
    _prefixed("gitlab-token", "gl[rd]t-", rf"{_WORD}{{20,}}", "glrt-", "gldt-"),
    _prefixed("gitlab-token", "gl(?:ptt|cbt)-", rf"{_WORD}{{20,}}", "glptt-", "glcbt-"),
    _prefixed("google-key", "AQ[.]Ab", rf"{_WORD}{{30,}}", "AQ.Ab"),
    _prefixed("aws-key", "ABSK", r"[A-Za-z0-9+/]{90,}={0,2}"),
    _prefixed("nvidia-key", "nvapi-", rf"{_WORD}{{40,}}"),
    _prefixed("cerebras-key", "csk-", r"[a-z0-9]{40,}"),
    _prefixed("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    _prefixed("replicate-token", "r8_", r"[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
    _prefixed("tavily-key", "tvly-", rf"{_HAS_DIGIT}{_WORD}{{20,}}"),
    _prefixed("langsmith-key", "lsv2_(?:pt|sk)_", r"[a-f0-9_]{32,}", "lsv2_"),
    _prefixed("databricks-token", "dapi", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    _prefixed("digitalocean-token", "do[opr]_v1_", r"[a-f0-9]{64}", "doo_v1_", "dop_v1_", "dor_v1_"),
    _prefixed("vault-token", "hv[sb][.]", rf"{_WORD}{{24,}}", "hvs.", "hvb."),
    _prefixed("docker-token", "dckr_pat_", rf"{_WORD}{{20,}}"),
    _prefixed("atlassian-token", "ATATT3", r"[A-Za-z0-9_\-=]{40,}"),
    _prefixed("linear-key", "lin_api_", r"[A-Za-z0-9]{32,}"),
    _prefixed("notion-token", "ntn_", r"[A-Za-z0-9]{40,}"),
    _prefixed("figma-token", "fig[dop]_", rf"{_HAS_DIGIT}{_WORD}{{36,}}", "figd_", "figo_", "figp_"),
    _prefixed(
        "shopify-token", "shp(?:at|ca|pa|ss)_", r"[a-fA-F0-9]{32}", "shpat_", "shpca_", "shppa_", "shpss_"
    ),
    _prefixed("supabase-token", "sbp_", r"[a-f0-9]{40}"),
    _prefixed("mailgun-key", "key-", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    _prefixed("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    _Rule("webhook", ("hooks.slack.com",), re.compile(r"hooks[.]slack[.]com/services/([A-Za-z0-9/]{20,})")),
    _Rule("webhook", ("/webhooks/",), re.compile(rf"/api/webhooks/([0-9]{{10,}}/{_WORD}{{20,}})")),
    _Rule(
        "telegram-token",
        (":AA",),
        re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))([0-9]{{8,10}}:AA{_WORD}{{33}})(?!{_WORD})"),
    ),
    _Rule(
        "azure-key", ("ccessKey=", "ccountKey="), re.compile(r"cc(?:ess|ount)Key=([A-Za-z0-9+/]{40,}={0,2})")
    ),
    _prefixed("sendgrid-key", "SG[.]", rf"{_WORD}{{16,}}[.]{_WORD}{{16,}}", "SG."),
    _prefixed("token", "eyJ", rf"{_WORD}{{8,}}[.]eyJ{_WORD}{{8,}}[.]{_WORD}{{8,}}"),
    _Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"[Aa](?:uthorization|UTHORIZATION)\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
            r"(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|BEARER|BASIC)[ \t]{1,4}"
            r"|(?=[A-Za-z._~+/=:\-]{0,80}?\d))"
            rf"{_NO_PLACEHOLDER}(?![Bb]earer|[Bb]asic|[Tt]oken)([A-Za-z0-9._~+/=:\-]{{8,}})"
        ),
    ),
    _Rule(
        "authorization",
        ("earer ", "EARER "),
        re.compile(r"[Bb](?:earer|EARER) {1,4}(?=[A-Za-z_.~+/\-]{0,80}?\d)([A-Za-z0-9._~+/\-]{20,}={0,2})"),
    ),
    _Rule(
        "secret",
        ("KEY", "TOKEN", "SECRET", "PASSWORD", "api", "Api"),
        re.compile(
            r"(?:API[_-]?KEY|SECRET_KEY|ACCESS_KEY|_TOKEN|_SECRET|PASSWORD|[Aa]pi[_-]?[Kk]ey)\\?[\"']?"
            r"[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
            r"(?=[A-Za-z_+/\-]{0,80}?\d)(?=[0-9_+/\-]{0,80}?[A-Za-z])([A-Za-z0-9_+/\-]{16,}={0,2})"
        ),
    ),
    _Rule(
        "secret",
        ("_key", "_token", "_secret"),
        re.compile(rf"_(?:key|token|secret)(?:{_NAMED}){_ASSIGNED}"),
    ),
    _Rule("secret", ("assw",), re.compile(rf"assw(?:or)?d{_ASSIGNED}")),
    _Rule(
        "password",
        ("://",),
        re.compile(
            rf"://[^\s/:@\"'<>\\]{{0,128}}:{_NO_PLACEHOLDER}([^\s/@\"'<>\\]{{1,128}})@(?=[A-Za-z0-9\[])"
        ),
    ),
    _Rule("mail", ("@",), re.compile(rf"({_MAIL_USER}@{_MAIL_HOST})(?![A-Za-z0-9\-])")),
)
"""Where two rules find the same place, the earlier one names it."""

_PROBE = "a1b2c3d4e5f6g7h8i9j0"
"""A value that is a secret after a name that says so, and nowhere else."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(rule.kind for rule in RULES))


Find: TypeAlias = Callable[[str], Sequence[Secret]]
"""The secrets of a text."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in order, none overlapping another."""
    found = [
        (match.start(1), rank, match.end(1), rule.kind)
        for rank, rule in enumerate(RULES)
        if any(mark in text for mark in rule.marks)
        for match in rule.pattern.finditer(text)
    ]
    return apart([Secret(start, end, kind) for start, _, end, kind in sorted(found)]) if found else ()


def apart(found: Iterable[Secret]) -> tuple[Secret, ...]:
    """Secrets in order, without what overlaps an earlier one; of the same place the first stays."""
    kept: list[Secret] = []
    for one in sorted(found, key=lambda secret: secret.start):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def redact(text: str, find: Find = find_secrets) -> tuple[str, int]:
    """The text with every secret as ``[redacted:kind]``, and how many there were."""
    secrets = find(text)
    return _covered(text, secrets), len(secrets)


def without_keys(text: str) -> str:
    """The text with every secret but mail addresses written over: a person's own file may be named so."""
    return _covered(text, [secret for secret in find_secrets(text) if secret.kind != "mail"])


def _covered(text: str, secrets: Sequence[Secret]) -> str:
    if not secrets:
        return text
    parts: list[str] = []
    position = 0
    for secret in secrets:
        parts += (text[position : secret.start], f"[redacted:{secret.kind}]")
        position = secret.end
    return "".join([*parts, text[position:]])


def redact_json(value: Json, find: Find = find_secrets) -> int:
    """Redact every text inside a parsed list or object, in place; returns the count.

    Names of fields stay, but for those that are a secret themselves. Without recursion, since nesting
    may be deep.
    """
    count = 0
    stack: list[Json] = [value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict):
            count += _redact_names(holder)
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in list(entries):
            if isinstance(inner, str):
                if secrets := _in_field(key, inner, find):
                    holder[key] = _covered(inner, secrets)
                    count += len(secrets)
            elif isinstance(inner, list | dict):
                stack.append(inner)
    return count


def _in_field(key: str | int, text: str, find: Find = find_secrets) -> Sequence[Secret]:
    """The secrets of a text in an object or a list: the name of its field may tell that it is one."""
    if not isinstance(key, str) or not _tells(key):
        return find(text)
    start = len(key) + 1
    found = find(f"{key}={text}")
    return [Secret(one.start - start, one.end - start, one.kind) for one in found if one.start >= start]


@lru_cache(maxsize=1024)
def _tells(name: str) -> bool:
    """True for the name of a field whose value is a secret, such as ``api_key``."""
    return bool(find_secrets(f"{name}={_PROBE}"))


@lru_cache(maxsize=1024)
def _in_name(name: str) -> tuple[Secret, ...]:
    """The secrets in the name of a field; the same few names come again and again."""
    return find_secrets(name)


def _redact_names(holder: dict[str, Json]) -> int:
    """Write over secrets in the names of an object's fields; the order stays, and no field is lost."""
    count = sum(len(_in_name(name)) for name in holder)
    if count:
        entries = list(holder.items())
        holder.clear()
        for name, inner in entries:
            text = covered = _covered(name, _in_name(name))
            while text in holder:
                text = f"{text} {covered}"
            holder[text] = inner
    return count


def count_json(value: Json) -> int:
    """How many secrets the texts of a parsed JSON value hold, names of fields included."""
    names = sum(len(_in_name(name)) for name in _names(value))
    return names + sum(1 for _ in secrets_in_json(value))


def secrets_in_json(value: Json) -> Iterator[str]:
    """The secrets in the texts of a parsed JSON value."""
    stack: list[tuple[str | int, Json]] = [(0, value)]
    while stack:
        key, inner = stack.pop()
        if isinstance(inner, str):
            yield from (inner[one.start : one.end] for one in _in_field(key, inner))
        elif isinstance(inner, list):
            stack.extend(enumerate(inner))
        elif isinstance(inner, dict):
            stack.extend(inner.items())


def _names(value: Json) -> Iterator[str]:
    """The names of all fields inside a value."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            yield from inner
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)
