"""Patterns of secrets: prefixes of keys, and rules for headers, names, options, addresses.

Every pattern begins with a fixed text or one sign and has no nested repetition, so that a search
takes time linear in the text. A rule is tried only if the text contains one of its marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from core.common.redaction.secret_names import ASSIGNMENT, QUOTE
from core.common.redaction.secret_values import (
    is_discord_id,
    is_mail,
    is_password,
    is_placeholder,
    is_token,
    is_words,
)

SecretCheck: TypeAlias = Callable[[re.Match[str]], str]
"""Returns the kind of secret that a pattern matched, or ""."""


@dataclass(frozen=True, slots=True)
class SecretRule:
    """A pattern whose last group is the secret; every text it matches contains one of ``marks``."""

    kind: str
    marks: tuple[str, ...]
    pattern: str
    check: SecretCheck | None = None
    in_source: bool = False
    """True to search the escaped text, too: in a URL, escapes encode characters of a password."""


_WORD = r"[A-Za-z0-9_\-]"
_FOLD = r"[\\\s\"',+]"  # what may separate two letters of a line broken anywhere


def _folded(word: str) -> str:
    return rf"{_FOLD}{{0,40}}+".join(word)


def _pem(word: str) -> str:
    between = r"[A-Z0-9\\\s\"',+]"
    return (
        rf"-----{_folded(word)}{between}{{1,60}}?{_folded('PRIVATE')}{_FOLD}{{1,40}}{_folded('KEY')}"
        rf"{between}{{0,20}}-----"
    )


_PEM_BODY = rf"(?:[^-]|-(?!----)){{0,20000}}+-?{_pem('END')}"
# its end was cut off
_PEM_REST = rf"(?:{_FOLD}++(?:[A-Za-z0-9+/=]{{1,100}}+{_FOLD}++)?[A-Za-z0-9+/=]{{20,100}}+)++"

_OPTION = (
    r"(?:=[\"']?|(?P<quote>[\"']),\s{0,40}[\"']|[ \t]{1,4}[\"']?"
    r"|[ \t]{0,4}(?:\\?\n[ \t]{1,40}-[ \t]|\n)[\"']?)"
)
"""Separates an option and its value on a command line, in a list of arguments, in YAML."""
_MAIL_USER = r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+"
_MAIL_HOST = r"(?:[A-Za-z0-9\-]{1,63}\.){1,5}[A-Za-z]{2,24}"


def _value(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]


def _check_option(match: re.Match[str]) -> str:
    value = _value(match)
    if is_token(value):
        return "secret"
    if is_password(value, is_literal=True):
        return "password"
    return ""


def _check_flag(match: re.Match[str]) -> str:
    """Judge what stands where a program takes nothing but a password."""
    value = _value(match)
    is_secret = is_password(value, is_literal=True) or is_token(value, is_literal=True)
    return "password" if is_secret else ""


def _check_bearer(match: re.Match[str]) -> str:
    return "" if is_placeholder(match[1]) or is_words(match[1]) else "authorization"


def _check_login(match: re.Match[str]) -> str:
    """Judge the password of ``curl -u user:password``."""
    before = match.string[max(0, match.start() - 300) : match.start()]
    is_call = any(program in before for program in ("curl", "wget", "http", "mysql", "psql"))
    return "password" if is_call and is_password(_value(match), is_literal=True) else ""


def _check_url(match: re.Match[str]) -> str:
    value = match[1]
    words = ("password", "pass", "passwd", "pwd", "x-oauth-basic")
    return "" if is_placeholder(value) or value.lower() in words else "password"


def _check_cookie(match: re.Match[str]) -> str:
    return "cookie" if any(is_token(word) for word in re.split(r"[=;&\s]", match[1])) else ""


_JWK = 4_000  # characters in which the type of a JSON web key is looked for


def _check_jwk(match: re.Match[str]) -> str:
    around = match.string[max(0, match.start() - _JWK) : match.end() + _JWK]
    return "private-key" if "kty" in around and not is_words(match[1]) else ""


RULES: tuple[SecretRule, ...] = (
    SecretRule("private-key", ("-----",), rf"({_pem('BEGIN')}(?:{_PEM_BODY}|{_PEM_REST}))"),
    SecretRule("webhook", ("hooks.slack",), r"hooks[.]slack[.]com/services/([A-Za-z0-9/]{20,})"),
    SecretRule("webhook", ("/webhooks/",), rf"/api/webhooks/([0-9]{{10,}}/{_WORD}{{20,}})"),
    SecretRule(
        "telegram-token", (":AA",), rf"(?<![A-Za-z0-9])([0-9]{{8,10}}:AA{_WORD}{{33}})(?!{_WORD})"
    ),
    SecretRule(
        "azure-key",
        ("cessKey", "countKey"),
        rf"(?:ces|coun)[st]Key{ASSIGNMENT}([A-Za-z0-9+/]{{40,}}={{0,2}})",
    ),
    SecretRule("azure-key", ("Q~",), r"(?<![\w.~\-])([\w.~\-]{3}\dQ~[\w.~\-]{31,34})(?![\w~\-])"),
    SecretRule(
        "private-key",
        ("kty",),
        rf"[\"'](?:d|k|p|q|dp|dq|qi)[\"']{{1,2}}\s{{0,4}}:\s{{0,4}}[\"']{{1,2}}({_WORD}{{20,1400}})",
        _check_jwk,
    ),
    SecretRule(
        "discord-token",
        (".",),
        (
            rf"(([MNO](?<![A-Za-z0-9_.\-][MNO]){_WORD}{{22,27}})[.]{_WORD}{{6,7}}[.]{_WORD}{{27,45}})(?!{_WORD})"
        ),
        lambda match: "discord-token" if is_discord_id(match[2]) else "",
    ),
    SecretRule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        (
            rf"(?:uthorization|UTHORIZATION){QUOTE}?[ \t]{{0,4}}[:=,][ \t]{{0,4}}{QUOTE}?"
            r"(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|BEARER|BASIC)[ \t]{1,4}"
            r"|(?=[A-Za-z._~+/=:\-]{0,80}?\d))"
            r"(?![$<{\[%*])(?![Bb]earer|[Bb]asic|[Tt]oken)([A-Za-z0-9._~+/=:\-]{8,})"
        ),
        _check_bearer,
    ),
    SecretRule(
        "authorization",
        ("earer ", "EARER "),
        r"(?:earer|EARER) {1,4}(?=[A-Za-z_.~+/\-]{0,80}?\d)([A-Za-z0-9._~+/\-]{20,}={0,2})",
        _check_bearer,
    ),
    SecretRule(
        "cookie",
        ("ookie",),
        (
            r"ookie[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
            r"([\w.%-]{1,60}=[^\s\"'`]{1,4000}(?:; ?[^\s\"'`]{1,4000}){0,40})"
        ),
        _check_cookie,
    ),
    SecretRule(
        "secret",
        ("--",),
        (
            r"--(?:[a-z]{1,12}-){0,2}(?:token|secret|password|passwd|passphrase|pass|pwd|api-?key|access-key"
            rf"|secret-key|auth-key|auth){_OPTION}([^\s\"'`<>(){{}}\[\],;|\\]{{6,300}})"
        ),
        _check_option,
    ),
    SecretRule(
        "password",
        ("-u", "--user"),
        rf"-(?:u|-user){_OPTION}[^\s:\"'`/]{{1,60}}:(?!/)([^\s\"'`]{{4,128}})",
        _check_login,
    ),
    SecretRule(
        "password",
        (" -p",),
        r"(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,200}? -p[\"']?"
        r"([^\s\"'`;|&\-][^\s\"'`;|&]{3,128})",
        _check_flag,
    ),
    SecretRule(
        "password",
        (" -p ",),
        r"(?:sshpass|(?:docker|podman|az|oc|helm registry) login|ldap\w{3,8})\b[^\n|;&]{0,200}? -[pw] {1,4}"
        r"[\"']?([^\s\"'`;|&]{4,300})",
        _check_flag,
    ),
    SecretRule(
        "password",
        (" -a",),
        r"(?:redis|valkey|keydb)-cli\b[^\n|;&]{0,200}? -a {0,4}[\"']?([^\s\"'`;|&\-][^\s\"'`;|&]{3,128})",
        _check_flag,
    ),
    SecretRule(
        "password",
        ("PASSWORD '", "password '", 'PASSWORD "', 'password "', "DENTIFIED BY", "dentified by"),
        r"(?:PASSWORD|password|(?:IDENTIFIED|identified) (?:BY|by)(?: PASSWORD)?) {1,4}E?[\"']"
        r"([^\s\"']{4,128})[\"']",
        _check_flag,
    ),
    SecretRule(
        "sentry-dsn",
        ("sentry",),
        r"://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.\-]{0,80}sentry",
    ),
    SecretRule(
        "kaggle-key",
        ("username",),
        r"[\"']username[\"']{1,2}\s{0,4}:\s{0,4}[\"']{1,2}[^\"'\n]{1,80}[\"']{1,2},\s{0,20}"
        r"[\"']{1,2}key[\"']{1,2}\s{0,4}:\s{0,4}[\"']{1,2}([0-9a-f]{32})(?![0-9a-f])",
    ),
    SecretRule(
        "password",
        ("login", "machine"),
        r"login\s{1,4}\S{1,80}\s{1,20}password\s{1,4}([^\s\"'`]{4,128})",
        lambda match: "password" if is_password(match[1], is_literal=True) else "",
    ),
    SecretRule(
        "secret",
        ("ig=", "ignature="),
        r"[?&][A-Za-z_-]{0,24}?(?:[Ss]ig|[Ss]ignature)=([A-Za-z0-9_.~+/%=-]{16,})",
        lambda match: "secret" if is_token(match[1].replace("%", "")) else "",
    ),
    SecretRule(
        "password",
        ("://",),
        (
            r"://[^\s/:@\"'<>\\`]{0,128}:([^\s/\"'<>\\`]{1,128})@(?=[A-Za-z0-9\[.\-]{1,253}(?:[:/\s\"'?,;)`]|\Z))"
        ),
        _check_url,
        in_source=True,
    ),
    SecretRule(
        "mail",
        ("@",),
        rf"({_MAIL_USER}@{_MAIL_HOST})(?![A-Za-z0-9\-])",
        lambda match: "mail" if is_mail(match[1]) else "",
    ),
)
"""If two rules match at the same place, the earlier one determines the kind."""
