"""Keys that a fixed prefix identifies.

Every pattern has no nested repetition, so that a search takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from core.common.redaction.secret_values import (
    RankedSecret,
    compiled,
    is_encoded,
    is_example,
    is_mixed,
    is_random,
)


@dataclass(frozen=True, slots=True)
class SecretPrefix:
    """A kind of key: its fixed prefixes and the pattern that follows them, compiled when one is
    found."""

    kind: str
    starts: tuple[str, ...]
    rest: str


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
        "gitlab-token",
        "glpat- glrt- gldt- glptt- glcbt- glsoat- glft-",
        rf"{_KEY}(?:[.]{_WORD}{{8,}})*",
    ),
    _prefix(
        "slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.", r"[A-Za-z0-9\-]{10,}"
    ),
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
    _prefix("mapbox-token", "sk.", rf"eyJ{_WORD}{{20,}}[.]{_WORD}{{16,}}"),
    _prefix("airtable-token", "pat", rf"{_ALNUM}{{14}}[.]{_HEX}{{64}}"),
    _prefix("fly-token", "fm1_ fm2_ fo1_", r"[A-Za-z0-9_+/=\-]{40,}"),
    _prefix("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[A-Za-z0-9_.\-]{30,}"),
    _prefix("pulumi-token", "pul-", rf"{_HEX}{{40}}"),
    _prefix("dropbox-token", "sl.", rf"{_HAS_DIGIT}{_WORD}{{100,}}"),
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
        "bitbucket-token", "ATBB", r"[A-Za-z0-9]{24,}(?=[A-F0-9]{8})[A-F0-9]{8}(?![A-Za-z0-9])"
    ),
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
_KEY_WORD = re.compile(r"[A-Za-z0-9_\-.+/=]{15}")
"""What every key with a prefix begins with."""


def find_by_prefix(text: str, breaks: Sequence[int]) -> Iterator[RankedSecret]:
    """Yield keys with a known prefix. One at a line break is not inside a word."""
    found = ANY_PREFIX.search(text) if _KEY_WORD.search(text) else None
    while found:
        position = found.start()
        for rank, prefix, start in _kinds(found[0]):
            rest = compiled(prefix.rest).match(text, position + len(start))
            if rest is None or is_example(text[position : rest.end()]):
                continue
            is_free = (
                not position or position in breaks or not _is_joined(text, position, start, prefix)
            )
            if is_free or _is_distinctive(text, position, start, rest[0]):
                yield (position, -rest.end(), rank, prefix.kind)
        found = ANY_PREFIX.search(text, position + 1)


@cache
def _kinds(found: str) -> Sequence[tuple[int, SecretPrefix, str]]:
    """Return the kinds of keys with a prefix that ``found`` begins with: "sk-ant-" also begins with
    "sk-"."""
    kinds = (
        (rank, prefix, start) for rank, prefix in enumerate(PREFIXES) for start in prefix.starts
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
    return (before.isascii() and before.isalnum()) or before in ("_-+/" if may_be_encoded else "_-")


_COMMON_STARTS = frozenset(("ABSK", "key-", "pat", "re_", "sk_"))
"""Too common inside of words, identifiers and base64."""
_ENCODED = 24  # characters before a prefix by which an encoded word is recognised
_JUDGED = 80  # characters of a key that are judged
_LONG_HEX = 40  # characters; an identifier in hex, as of a task or a disk, is shorter


def _is_distinctive(text: str, position: int, start: str, body: str) -> bool:
    """Return True if a prefix inside a word begins a key all the same: ``backup_ghp_…``,
    ``x-sk-…``.

    Its body must be random, and what is before it no part of a longer encoded word.
    """
    if start in _COMMON_STARTS or not is_random(body[:_JUDGED]):
        return False
    before = text[max(0, position - _ENCODED) : position]
    if is_encoded(before):
        return False
    if start.isupper() and start.isalpha():  # nothing but capitals before it: part of such a word
        return not before[-1].isupper()
    if start in ("sk-", "csk-", "pul-", "sl.", "sk."):  # "task-…", "disk-…"
        return is_mixed(body[:_JUDGED]) or len(body) >= _LONG_HEX
    return True
