"""Patterns of secrets: prefixes of keys, and rules for headers, names, options, addresses.

Every pattern begins with a fixed text or one sign and has no nested repetition, so that a search takes
time linear in the text. A rule is tried only if the text contains one of its marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from core.common.redaction.secret_values import (
    is_discord_id,
    is_login,
    is_mail,
    is_password,
    is_placeholder,
    is_token,
    is_words,
)

SecretCheck: TypeAlias = Callable[[re.Match[str]], str]
"""Returns the kind of secret that a pattern matched, or ""."""


@dataclass(frozen=True, slots=True)
class SecretPrefix:
    """A kind of key: its fixed prefixes and the pattern that follows them, compiled when one is found."""

    kind: str
    starts: tuple[str, ...]
    rest: str


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
_HAS_DIGIT = rf"(?={_WORD}{{0,80}}?\d)"
_KEY, _HEX, _ALNUM = rf"{_WORD}{{20,}}", r"[a-f0-9]", r"[A-Za-z0-9]"


def _prefix(kind: str, starts: str, rest: str) -> SecretPrefix:
    return SecretPrefix(kind, tuple(starts.split()), rest)


PREFIXES: tuple[SecretPrefix, ...] = (
    _prefix("anthropic-key", "sk-ant-", rf"{_WORD}{{16,}}"),
    _prefix("openrouter-key", "sk-or-", rf"{_WORD}{{16,}}"),
    _prefix("api-key", "sk-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", rf"{_ALNUM}{{16,}}"),
    _prefix("github-token", "gho_ ghp_ ghs_ ghr_ ghu_", rf"{_ALNUM}{{30,}}"),
    _prefix("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _prefix(
        "gitlab-token", "glpat- glrt- gldt- glptt- glcbt- glsoat- glft-", rf"{_KEY}(?:[.]{_WORD}{{8,}})*"
    ),
    _prefix("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.", r"[A-Za-z0-9\-]{10,}"),
    _prefix("slack-token", "xapp-", r"[A-Za-z0-9\-]{20,}"),
    _prefix("aws-key", "AKIA ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9+/=])"),
    _prefix("aws-key", "ABSK", r"[A-Za-z0-9+/]{90,}={0,2}"),
    _prefix("google-key", "AIza", rf"{_WORD}{{35}}(?!{_WORD})"),
    _prefix("google-key", "AQ.Ab", rf"{_WORD}{{30,}}"),
    _prefix("google-token", "ya29.", _KEY),
    _prefix("google-secret", "GOCSPX-", _KEY),
    _prefix("huggingface-token", "hf_ api_org_", rf"{_ALNUM}{{30,}}"),
    _prefix("groq-key", "gsk_", rf"{_ALNUM}{{40,}}"),
    _prefix("xai-key", "xai-", rf"{_ALNUM}{{40,}}"),
    _prefix("npm-token", "npm_", rf"{_ALNUM}{{36,}}"),
    _prefix("pypi-token", "pypi-", rf"{_WORD}{{50,}}"),
    _prefix("nvidia-key", "nvapi-", rf"{_WORD}{{40,}}"),
    _prefix("cerebras-key", "csk-", r"[a-z0-9]{40,}"),
    _prefix("perplexity-key", "pplx-", rf"{_ALNUM}{{40,}}"),
    _prefix("replicate-token", "r8_", rf"{_ALNUM}{{37}}(?!{_ALNUM})"),
    _prefix("tavily-key", "tvly-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[a-f0-9_]{32,}"),
    _prefix("databricks-token", "dapi", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", rf"{_HEX}{{64}}"),
    _prefix("vault-token", "hvs. hvb.", rf"{_WORD}{{24,}}"),
    _prefix("docker-token", "dckr_pat_ dckr_oat_", _KEY),
    _prefix("atlassian-token", "ATATT3", r"[A-Za-z0-9_\-=]{40,}"),
    _prefix("linear-key", "lin_api_", rf"{_ALNUM}{{32,}}"),
    _prefix("notion-token", "ntn_", rf"{_ALNUM}{{40,}}"),
    _prefix("figma-token", "figd_ figo_ figp_", rf"{_HAS_DIGIT}{_WORD}{{36,}}"),
    _prefix("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[a-fA-F0-9]{32}"),
    _prefix("supabase-token", "sbp_", rf"{_HEX}{{40}}"),
    _prefix("mailgun-key", "key-", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    _prefix("sendgrid-key", "SG.", rf"{_WORD}{{16,}}[.]{_WORD}{{16,}}"),
    _prefix("token", "eyJ", rf"{_WORD}{{8,}}[.]eyJ{_WORD}{{8,}}[.]{_WORD}{{8,}}"),
    _prefix("twilio-key", "SK", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    _prefix("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefix("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    _prefix("grafana-token", "glsa_ glc_", rf"{_HAS_DIGIT}[A-Za-z0-9_+/]{{32,}}={{0,2}}"),
    _prefix("sentry-token", "sntrys_ sntryu_", rf"{_HAS_DIGIT}[A-Za-z0-9_+/]{{32,}}={{0,2}}"),
    _prefix("rubygems-key", "rubygems_", rf"{_HEX}{{48}}"),
    _prefix("tailscale-key", "tskey-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix("hubspot-token", "pat-na1- pat-eu1-", r"[a-f0-9\-]{36}"),
    _prefix("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_WORD}{{22,}}"),
    _prefix("planetscale-token", "pscale_tkn_ pscale_pw_", rf"{_WORD}{{30,}}"),
    _prefix("bitbucket-token", "ATBB", r"[A-Za-z0-9]{24,}(?=[A-F0-9]{8})[A-F0-9]{8}(?![A-Za-z0-9])"),
)
"""If two match at the same place, the earlier one determines the kind."""


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of these words that tries each letter once: ``re`` tries word after word."""
    ends: dict[str, list[str]] = {}
    for word in words:
        ends.setdefault(word[:1], []).append(word[1:])
    return "|".join(
        re.escape(one) + (f"(?:{_any_of(rest)})" if any(rest) else "") for one, rest in ends.items()
    )


ANY_PREFIX = re.compile(_any_of(start for prefix in PREFIXES for start in prefix.starts))
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
_PEM_REST = (
    rf"(?:{_FOLD}++(?:[A-Za-z0-9+/=]{{1,100}}+{_FOLD}++)?[A-Za-z0-9+/=]{{20,100}}+)++"  # its end was cut off
)

_QUOTE = "[\"'`]"
_ASSIGNMENT = (
    rf"{_QUOTE}?\]?(?:[ \t]{{0,4}}(?::[ \t]{{0,4}}(?:str|string|String)[ \t]{{0,4}})?"
    rf"(?:=>|[:=]{{1,2}})[ \t]{{0,4}}"
    rf"|[ \t]{{1,40}}[|│][ \t]{{1,4}}|,?\s{{1,20}}{_QUOTE}?[vV]alue{_QUOTE}?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    rf"|>(?=[^<>\s]{{1,200}}</)|(?<={_QUOTE}),[ \t]?(?={_QUOTE})){_QUOTE}?"
)
"""Separates a name and its value in code, settings, tables, XML and calls."""
_VALUE = (
    rf"(?:(?<={_QUOTE})([^\s\"'`]{{4,4000}})(?=[\"'`\s…]|\Z)"
    r"|(?<![\"'`])((?:&(?![\w.\-]{1,40}=)|[^\s\"'`<>(){}\[\],;|\\&]){4,4000}))"
)
_QUOTED = 2  # the group of a quoted value after a name
_OPTION = (
    r"(?:=[\"']?|(?P<quote>[\"']),\s{0,40}[\"']|[ \t]{1,4}[\"']?"
    r"|[ \t]{0,4}(?:\\?\n[ \t]{1,40}-[ \t]|\n)[\"']?)"
)
"""Separates an option and its value on a command line, in a list of arguments, in YAML."""
_MAIL_USER = r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+"
_MAIL_HOST = r"(?:[A-Za-z0-9\-]{1,63}\.){1,5}[A-Za-z]{2,24}"

_NAME_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_KEY_NAMES = re.compile(
    r"(?:api|access|secret|private|encryption|signing|master|account|storage|shared|auth|admin|service|hmac"
    r"|subscription|deploy|license|consumer|server|app|write|client|functions|credential|webhook|session"
    r"|servicerole)key$|keydata$"
)
_NO_TOKENS = re.compile(
    r"(?:next|page|continuation|cancel|cancellation|sync|stop|bos|eos|pad|resume|start|end|mask|unk|special"
    r"|max|min|per|num|prev|previous|cursor)token$"
)


def _name(match: re.Match[str]) -> str:
    """Return the whole name before a value, in lower case without dashes."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    word = before[len(before.rstrip(_NAME_SIGNS)) :] + match[1]
    return word.replace("_", "").replace("-", "").lower()


def _value(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]


def _check_token(match: re.Match[str]) -> str:
    """Judge a value after ``token``, ``secret``, ``api_key``, ``auth``."""
    name, value = _name(match), _value(match)
    if match.string[match.end() : match.end() + 1] in ("(", "[") or _NO_TOKENS.search(name):
        return ""
    if name.endswith("key") or name.endswith("keydata"):
        return "secret" if _KEY_NAMES.search(name) and is_token(value) else ""
    if name.endswith("auth") and is_login(value):
        return "authorization"
    return "secret" if is_token(value) else ""


def _check_password(match: re.Match[str]) -> str:
    """Judge a value after ``password`` and similar names."""
    value, text = _value(match), match.string
    if is_token(value):
        return "" if text[match.end() : match.end() + 1] in ("(", "[", ".") else "secret"
    after = text[match.end() : match.end() + 1]
    is_quoted = match.lastindex == _QUOTED
    if (is_quoted and after not in ("'", '"', "`")) or after in ("(", "[", "{"):
        return ""
    name = _name(match)
    if name.endswith(("pwd", "pass")) and "/" in value:
        return ""
    value_start = match.start(match.lastindex or 0)
    is_shell = text[value_start - 1] == "=" and text[match.start()].isupper()
    return "password" if is_password(value, is_literal=is_quoted or is_shell) else ""


def _check_option(match: re.Match[str]) -> str:
    value = _value(match)
    return "secret" if is_token(value) else "password" if is_password(value, is_literal=True) else ""


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


def _named_rules(kind: str, tails: str, check: SecretCheck) -> tuple[SecretRule, ...]:
    return tuple(
        SecretRule(kind, (tail,), rf"({tail}){_ASSIGNMENT}{_VALUE}", check) for tail in tails.split()
    )


RULES: tuple[SecretRule, ...] = (
    SecretRule("private-key", ("-----",), rf"({_pem('BEGIN')}(?:{_PEM_BODY}|{_PEM_REST}))"),
    SecretRule("webhook", ("hooks.slack",), r"hooks[.]slack[.]com/services/([A-Za-z0-9/]{20,})"),
    SecretRule("webhook", ("/webhooks/",), rf"/api/webhooks/([0-9]{{10,}}/{_WORD}{{20,}})"),
    SecretRule("telegram-token", (":AA",), rf"(?<![A-Za-z0-9])([0-9]{{8,10}}:AA{_WORD}{{33}})(?!{_WORD})"),
    SecretRule(
        "azure-key",
        ("cessKey", "countKey"),
        rf"(?:ces|coun)[st]Key{_ASSIGNMENT}([A-Za-z0-9+/]{{40,}}={{0,2}})",
    ),
    SecretRule("azure-key", ("Q~",), r"(?<![\w.~\-])([\w.~\-]{3}\dQ~[\w.~\-]{31,34})(?![\w~\-])"),
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
            rf"(?:uthorization|UTHORIZATION){_QUOTE}?[ \t]{{0,4}}[:=,][ \t]{{0,4}}{_QUOTE}?"
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
    *_named_rules(
        "secret", "oken OKEN ecret ECRET ey EY key-data redential redentials REDENTIAL uth AUTH", _check_token
    ),
    *_named_rules(
        "password", "assword asswd assphrase ASSWORD ASSWD ASSPHRASE Pwd pwd PWD _pass _PASS", _check_password
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
