"""Patterns of secrets: prefixes of keys, and rules for headers, names, options, addresses.

Every pattern begins with a fixed text or one sign and has no nested repetition, so that a search
takes time linear in the text. A rule is tried only if the text contains one of its marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from core.common.secret_values import (
    RankedSecret,
    compiled,
    is_discord_id,
    is_encoded,
    is_example,
    is_login,
    is_mail,
    is_mixed,
    is_passphrase,
    is_password,
    is_placeholder,
    is_random,
    is_random_word,
    is_token,
    is_words,
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
_OLD_VALUE = rf"(?:{QUOTE}[^\"'`\n]{{0,200}}{QUOTE}|[^\s\"'`]{{1,200}})[ \t]{{1,4}}(?:->|=>|→)[ \t]{{1,4}}"
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
_TOKENS = "key_base KEY_BASE oken OKEN ecret ECRET ey EY key-data redential REDENTIAL redentials uth AUTH"
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


def find_named(
    text: str, first_rank: int, *, is_joined: bool = False
) -> Iterator[RankedSecret]:
    """Yield the values of names that announce a secret; of joined lines, whose quotes are gone,
    words."""
    lower = text.lower()
    # Seven searches, not one for each of the tails.
    stems = [stem for stem in _STEMS if stem in lower]
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
    text = match.string
    before = text[max(0, match.start() - 40) : match.start()]
    begin = before[len(before.rstrip(_NAME_SIGNS)) :]
    cell, blank = match["cell"], match["blank"]
    if cell and not _is_cell(text, match.start() - len(begin), cell):
        return None
    # Behind a mere blank a word is a secret only after a name of a variable of the shell.
    is_variable = "_" in begin and (begin + tail).isupper()
    if blank and not is_variable:
        return None
    name = _plain_name(begin + tail)
    if not name.endswith(_ENDS):
        return None

    at, quote = _opening_quote(text, match.end())
    is_shell = tail.isupper() and text[at - 1] in "=＝,;\t" and not blank
    to_line_end = is_shell and not cell
    for start, end in _extents(text, at, quote, to_line_end=to_line_end):
        # Without its quotes, a value of joined lines may be a sentence or a call.
        if is_joined and any(sign in " (" for sign in text[start:end]):
            continue
        value = _Value(
            name=name, text=text, start=start, end=end, quote=quote, is_shell=is_shell
        )
        if kind := judge(value):
            return value, kind
    return None


def _opening_quote(text: str, at: int) -> tuple[int, str]:
    """Return where a value begins with its quote, and the quote; "" without one."""
    if at < len(text) and text[at] in "\"'`":
        return at, text[at]
    # The separator may have taken the quote with it.
    if text[at - 1] in "\"'`":
        return at - 1, text[at - 1]
    return at, ""


def _extents(
    text: str, at: int, quote: str, *, to_line_end: bool
) -> Iterator[tuple[int, int]]:
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
        while (word := compiled(_NEXT_WORD).match(text, more)) and is_random_word(
            word[1]
        ):
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
    # A call or an index: the value is code that gets the secret, not the secret.
    if value.after in ("(", "["):
        return ""
    if _NO_TOKENS.search(name):
        return ""
    if name.endswith("auth") and is_login(text):
        return "authorization"

    is_key = name.endswith(("key", "keydata", "keybase"))
    # Most keys are no secrets: a primary key, a cache key, a key of the keyboard.
    if is_key and not _KEY_NAMES.search(name):
        return ""
    if is_token(text, is_literal=value.is_literal):
        return "secret"
    if name.endswith("key") or " " not in text:
        return ""
    if is_passphrase(text, is_shell=False):
        return "secret"
    return ""


def judge_password(value: _Value) -> str:
    """Judge a value after ``password`` and similar names."""
    text, after = value.value, value.after
    if is_token(text):
        # ``password = config.get(…)``: a name of code may look like a token.
        is_code = after in ("(", "[", ".")
        return "" if is_code else "secret"
    if " " in text:
        is_secret = is_passphrase(text, is_shell=value.is_shell)
        return "password" if is_secret else ""

    is_cut_off = bool(value.quote) and after != value.quote
    if is_cut_off or after in ("(", "[", "{"):
        return ""
    # ``pwd`` and ``pass`` are names of folders, too.
    if value.name.endswith(("pwd", "pass")) and "/" in text:
        return ""
    if is_password(text, is_literal=value.is_literal):
        return "password"
    return ""


_ENDS = (
    *(
        "token",
        "secret",
        "key",
        "keydata",
        "keybase",
        "credential",
        "credentials",
        "auth",
    ),
    *("password", "passwd", "passphrase", "pwd", "pass"),
)
_STEMS = ("oken", "ecret", "ey", "redential", "uth", "ass", "wd")


def _tails(words: str, judge: _Judge) -> Iterator[tuple[str, str, _Judge]]:
    for tail in words.split():
        yield next(stem for stem in _STEMS if stem in tail.lower()), tail, judge


def _judge_whole_name(value: _Value) -> str:
    """Judge a value after a name that is nothing but ``pass``: more words end so."""
    if value.name == "pass":
        return judge_password(value)
    return ""


TAILS = (
    *_tails(_TOKENS, judge_token),
    *_tails(_PASSWORDS, judge_password),
    *_tails("pass", _judge_whole_name),
)
"""Ends of names that announce a secret, with the stem of each and how its values are judged."""
_JUDGED = 400  # characters of a value that are judged


def _plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


@dataclass(frozen=True, slots=True)
class SecretPrefix:
    """A kind of key: its fixed prefixes and the pattern that follows them, compiled when one is
    found."""

    kind: str
    starts: tuple[str, ...]
    rest: str


_PREFIX_WORD = r"[A-Za-z0-9_\-]"
_HAS_DIGIT = rf"(?={_PREFIX_WORD}{{0,80}}?\d)"
_KEY, _HEX, _ALNUM = rf"{_PREFIX_WORD}{{20,}}", r"[a-f0-9]", r"[A-Za-z0-9]"


def _prefix(kind: str, starts: str, rest: str) -> SecretPrefix:
    return SecretPrefix(kind, tuple(starts.split()), rest)


PREFIXES: tuple[SecretPrefix, ...] = (
    _prefix("anthropic-key", "sk-ant-", rf"{_PREFIX_WORD}{{16,}}"),
    _prefix("openrouter-key", "sk-or-", rf"{_PREFIX_WORD}{{16,}}"),
    _prefix("api-key", "sk-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix(
        "stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", rf"{_ALNUM}{{16,}}"
    ),
    _prefix("github-token", "gho_ ghp_ ghs_ ghr_ ghu_", rf"{_ALNUM}{{30,}}"),
    _prefix("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _prefix(
        "gitlab-token",
        "glpat- glrt- gldt- glptt- glcbt- glsoat- glft-",
        rf"{_KEY}(?:[.]{_PREFIX_WORD}{{8,}})*",
    ),
    _prefix(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.",
        r"[A-Za-z0-9\-]{10,}",
    ),
    _prefix("slack-token", "xapp-", r"[A-Za-z0-9\-]{20,}"),
    _prefix("aws-key", "AKIA ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9+/=])"),
    _prefix("aws-key", "ABSK", r"[A-Za-z0-9+/]{90,}={0,2}"),
    _prefix("google-key", "AIza", rf"{_PREFIX_WORD}{{35}}(?!{_PREFIX_WORD})"),
    _prefix("google-key", "AQ.Ab", rf"{_PREFIX_WORD}{{30,}}"),
    _prefix("google-token", "ya29.", _KEY),
    _prefix("google-secret", "GOCSPX-", _KEY),
    _prefix("huggingface-token", "hf_ api_org_", rf"{_ALNUM}{{30,}}"),
    _prefix("groq-key", "gsk_", rf"{_ALNUM}{{40,}}"),
    _prefix("xai-key", "xai-", rf"{_ALNUM}{{40,}}"),
    _prefix("npm-token", "npm_", rf"{_ALNUM}{{36,}}"),
    _prefix("pypi-token", "pypi-", rf"{_PREFIX_WORD}{{50,}}"),
    _prefix("nvidia-key", "nvapi-", rf"{_PREFIX_WORD}{{40,}}"),
    _prefix("cerebras-key", "csk-", r"[a-z0-9]{40,}"),
    _prefix("perplexity-key", "pplx-", rf"{_ALNUM}{{40,}}"),
    _prefix("replicate-token", "r8_", rf"{_ALNUM}{{37}}(?!{_ALNUM})"),
    _prefix("tavily-key", "tvly-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[a-f0-9_]{32,}"),
    _prefix("databricks-token", "dapi", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", rf"{_HEX}{{64}}"),
    _prefix("vault-token", "hvs. hvb.", rf"{_PREFIX_WORD}{{24,}}"),
    _prefix("docker-token", "dckr_pat_ dckr_oat_", _KEY),
    _prefix("atlassian-token", "ATATT3", r"[A-Za-z0-9_\-=]{40,}"),
    _prefix("linear-key", "lin_api_", rf"{_ALNUM}{{32,}}"),
    _prefix("notion-token", "ntn_", rf"{_ALNUM}{{40,}}"),
    _prefix("figma-token", "figd_ figo_ figp_", rf"{_HAS_DIGIT}{_PREFIX_WORD}{{36,}}"),
    _prefix("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[a-fA-F0-9]{32}"),
    _prefix("supabase-token", "sbp_", rf"{_HEX}{{40}}"),
    _prefix("mailgun-key", "key-", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    _prefix("sendgrid-key", "SG.", rf"{_PREFIX_WORD}{{16,}}[.]{_PREFIX_WORD}{{16,}}"),
    _prefix(
        "token",
        "eyJ",
        rf"{_PREFIX_WORD}{{8,}}[.]eyJ{_PREFIX_WORD}{{8,}}[.]{_PREFIX_WORD}{{8,}}",
    ),
    _prefix("twilio-key", "SK", rf"{_HEX}{{32}}(?!{_ALNUM})"),
    _prefix("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    _prefix("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefix("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    _prefix(
        "grafana-token", "glsa_ glc_", rf"{_HAS_DIGIT}[A-Za-z0-9_+/]{{32,}}={{0,2}}"
    ),
    _prefix(
        "sentry-token", "sntrys_ sntryu_", rf"{_HAS_DIGIT}[A-Za-z0-9_+/]{{32,}}={{0,2}}"
    ),
    _prefix("rubygems-key", "rubygems_", rf"{_HEX}{{48}}"),
    _prefix("tailscale-key", "tskey-", rf"{_HAS_DIGIT}{_KEY}"),
    _prefix("hubspot-token", "pat-na1- pat-eu1-", r"[a-f0-9\-]{36}"),
    _prefix("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_PREFIX_WORD}{{22,}}"),
    _prefix("planetscale-token", "pscale_tkn_ pscale_pw_", rf"{_PREFIX_WORD}{{30,}}"),
    _prefix(
        "mapbox-token", "sk.", rf"eyJ{_PREFIX_WORD}{{20,}}[.]{_PREFIX_WORD}{{16,}}"
    ),
    _prefix("airtable-token", "pat", rf"{_ALNUM}{{14}}[.]{_HEX}{{64}}"),
    _prefix("fly-token", "fm1_ fm2_ fo1_", r"[A-Za-z0-9_+/=\-]{40,}"),
    _prefix("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[A-Za-z0-9_.\-]{30,}"),
    _prefix("pulumi-token", "pul-", rf"{_HEX}{{40}}"),
    _prefix("dropbox-token", "sl.", rf"{_HAS_DIGIT}{_PREFIX_WORD}{{100,}}"),
    _prefix("netlify-token", "nfp_ nfc_ nfo_ nfu_", rf"{_ALNUM}{{36,}}"),
    _prefix("posthog-key", "phx_", rf"{_ALNUM}{{40,}}"),
    _prefix("prefect-token", "pnu_", rf"{_ALNUM}{{36}}"),
    _prefix("sourcegraph-token", "sgp_", r"(?:[a-f0-9]{16}_)?[a-f0-9]{40}"),
    _prefix("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{60,}"),
    _prefix("resend-key", "re_", rf"{_ALNUM}{{8}}_{_ALNUM}{{24}}"),
    _prefix("together-key", "tgp_v1_", r"[A-Za-z0-9_\-]{40,}"),
    _prefix("supabase-key", "sb_secret_", r"[A-Za-z0-9_\-]{30,}"),
    _prefix("elevenlabs-key", "sk_", rf"{_HEX}{{48}}"),
    _prefix("terraform-token", "atlasv1.", r"[A-Za-z0-9_\-]{60,}"),
    _prefix("neon-key", "napi_", r"[a-z0-9]{60,}"),
    _prefix(
        "bitbucket-token",
        "ATBB",
        r"[A-Za-z0-9]{24,}(?=[A-F0-9]{8})[A-F0-9]{8}(?![A-Za-z0-9])",
    ),
)
"""If two match at the same place, the earlier one determines the kind."""


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of these words that tries each letter once: ``re`` tries word after word."""
    ends: dict[str, list[str]] = {}
    for word in words:
        ends.setdefault(word[:1], []).append(word[1:])
    return "|".join(
        re.escape(one) + (f"(?:{_any_of(rest)})" if any(rest) else "")
        for one, rest in ends.items()
    )


ANY_PREFIX = re.compile(
    _any_of(start for prefix in PREFIXES for start in prefix.starts)
)
_KEY_WORD = re.compile(r"[A-Za-z0-9_\-.+/=]{15}")
"""What every key with a prefix begins with."""


def find_by_prefix(text: str, breaks: Sequence[int]) -> Iterator[RankedSecret]:
    """Yield keys with a known prefix. One at a line break is not inside a word."""
    if _KEY_WORD.search(text):
        found = ANY_PREFIX.search(text)
    else:
        found = None
    while found:
        position = found.start()
        for rank, prefix, start in _kinds(found[0]):
            rest = compiled(prefix.rest).match(text, position + len(start))
            if rest is None or is_example(text[position : rest.end()]):
                continue
            is_free = (
                not position
                or position in breaks
                or not _is_joined(text, position, start, prefix)
            )
            if is_free or _is_distinctive(text, position, start, rest[0]):
                yield (position, -rest.end(), rank, prefix.kind)
        found = ANY_PREFIX.search(text, position + 1)


@cache
def _kinds(found: str) -> Sequence[tuple[int, SecretPrefix, str]]:
    """Return the kinds of keys with a prefix that ``found`` begins with: "sk-ant-" also begins with
    "sk-"."""
    kinds = (
        (rank, prefix, start)
        for rank, prefix in enumerate(PREFIXES)
        for start in prefix.starts
    )
    return tuple(kind for kind in kinds if found.startswith(kind[2]))


def _is_joined(text: str, position: int, start: str, prefix: SecretPrefix) -> bool:
    """Return True if a prefix is inside a longer word.

    One of letters alone may occur by chance inside base64, so no slash or plus may precede it
    unless a point must follow. A patch mark at the beginning of a line is not part of a word.
    """
    before = text[position - 1]
    if before in "+-" and (position == 1 or text[position - 2] == "\n"):
        return False
    may_be_encoded = start[-1] not in "_-." and "[.]" not in prefix.rest
    return (before.isascii() and before.isalnum()) or before in (
        "_-+/" if may_be_encoded else "_-"
    )


_COMMON_STARTS = frozenset(("ABSK", "key-", "pat", "re_", "sk_"))
"""Too common inside of words, identifiers and base64."""
_ENCODED = 24  # characters before a prefix by which an encoded word is recognised
_JUDGED_PREFIXES = 80  # characters of a key that are judged
_LONG_HEX = 40  # characters; an identifier in hex, as of a task or a disk, is shorter


def _is_distinctive(text: str, position: int, start: str, body: str) -> bool:
    """Return True if a prefix inside a word begins a key all the same: ``backup_ghp_…``,
    ``x-sk-…``.

    Its body must be random, and what is before it no part of a longer encoded word.
    """
    if start in _COMMON_STARTS or not is_random(body[:_JUDGED_PREFIXES]):
        return False
    before = text[max(0, position - _ENCODED) : position]
    if is_encoded(before):
        return False
    # Nothing but capitals before it: part of such a word.
    if start.isupper() and start.isalpha():
        return not before[-1].isupper()
    if start in ("sk-", "csk-", "pul-", "sl.", "sk."):  # "task-…", "disk-…"
        return is_mixed(body[:_JUDGED_PREFIXES]) or len(body) >= _LONG_HEX
    return True


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
_PEM_REST = (
    rf"(?:{_FOLD}++(?:[A-Za-z0-9+/=]{{1,100}}+{_FOLD}++)?[A-Za-z0-9+/=]{{20,100}}+)++"
)

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
    is_call = any(
        program in before for program in ("curl", "wget", "http", "mysql", "psql")
    )
    return "password" if is_call and is_password(_value(match), is_literal=True) else ""


def _check_url(match: re.Match[str]) -> str:
    value = match[1]
    words = ("password", "pass", "passwd", "pwd", "x-oauth-basic")
    return "" if is_placeholder(value) or value.lower() in words else "password"


def _check_cookie(match: re.Match[str]) -> str:
    return (
        "cookie"
        if any(is_token(word) for word in re.split(r"[=;&\s]", match[1]))
        else ""
    )


_JWK = 4_000  # characters in which the type of a JSON web key is looked for


def _check_jwk(match: re.Match[str]) -> str:
    around = match.string[max(0, match.start() - _JWK) : match.end() + _JWK]
    return "private-key" if "kty" in around and not is_words(match[1]) else ""


RULES: tuple[SecretRule, ...] = (
    SecretRule(
        "private-key", ("-----",), rf"({_pem('BEGIN')}(?:{_PEM_BODY}|{_PEM_REST}))"
    ),
    SecretRule(
        "webhook", ("hooks.slack",), r"hooks[.]slack[.]com/services/([A-Za-z0-9/]{20,})"
    ),
    SecretRule(
        "webhook", ("/webhooks/",), rf"/api/webhooks/([0-9]{{10,}}/{_WORD}{{20,}})"
    ),
    SecretRule(
        "telegram-token",
        (":AA",),
        rf"(?<![A-Za-z0-9])([0-9]{{8,10}}:AA{_WORD}{{33}})(?!{_WORD})",
    ),
    SecretRule(
        "azure-key",
        ("cessKey", "countKey"),
        rf"(?:ces|coun)[st]Key{ASSIGNMENT}([A-Za-z0-9+/]{{40,}}={{0,2}})",
    ),
    SecretRule(
        "azure-key",
        ("Q~",),
        r"(?<![\w.~\-])([\w.~\-]{3}\dQ~[\w.~\-]{31,34})(?![\w~\-])",
    ),
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
        (
            "PASSWORD '",
            "password '",
            'PASSWORD "',
            'password "',
            "DENTIFIED BY",
            "dentified by",
        ),
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
