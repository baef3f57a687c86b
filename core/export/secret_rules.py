"""What a secret in a text looks like: one rule for each kind of key, token, header or assignment.

Every pattern begins with a fixed text or a look behind and has no nested repetition, so that a
search takes time linear in the text. A text without one of a rule's marks is not searched for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = r"[A-Za-z0-9_\-]"


@dataclass(frozen=True, slots=True)
class Rule:
    """``marks``: one of them is in every text that the pattern can match. Group 1 is the secret."""

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]


_SIGNS = (r"\\[nrt]", r"\\u00[0-9a-fA-F]{2}", r"%[0-9a-fA-F]{2}", r"[0-9\[]m", r"(?m:^)[+\-]")
"""What ends in a letter or a dash and is no part of a word: a line break or a quote as JSON writes them,
a sign in an address, the end of a terminal's colour, a line of a patch."""


def _prefixed(kind: str, prefix: str, rest: str, *marks: str) -> Rule:
    """A token with a beginning of fixed length that stands alone, not inside a longer word.

    What is in front is looked at behind the prefix, for a search for fixed text is many times faster.
    A prefix of letters alone may come about inside base64, so that no slash or plus may stand before it,
    unless a point has to follow.
    """
    before = r"A-Za-z0-9_\-" if re.search(r"[-_]|\[\.\]", prefix) or "[.]" in rest else r"A-Za-z0-9_+/\-"
    after = "".join(rf"|(?<={sign}{prefix})" for sign in _SIGNS)
    start = rf"(?:(?<![{before}]{prefix}){after})"
    return Rule(kind, marks or (prefix,), re.compile(rf"({prefix}{start}{rest})"))


_PEM = r"-----{} (?:[A-Z0-9]{{1,20}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----"
_PEM_BODY = r"(?:[^-]|-(?!----)){0,20000}+" + _PEM.format("END")
_PEM_REST = r"(?:(?:\\[nr]|\s)++[A-Za-z0-9+/=]{20,100}+)++"  # a key whose end was cut off
_HAS_DIGIT = rf"(?={_WORD}{{0,80}}?\d)"
_NAMES = (
    *("secret_access_key", "secret_key", "encryption_key"),
    *("access_token", "refresh_token", "auth_token", "session_token", "security_token"),
    *("api_token", "private_token", "id_token", "bot_token"),
    *("client_secret", "app_secret", "api_secret", "signing_secret", "webhook_secret", "jwt_secret"),
)
_NAMED = "|".join(f"(?<={name.replace('_', '[_-]')})" for name in _NAMES)
_JOINED = "|".join(f"(?<={name.title().replace('_', '')[1:]})" for name in _NAMES)  # accessToken, AccessToken
_ALONE = "|".join(
    rf"{name}(?<![A-Za-z0-9_.-]{name})" for name in ("token", "secret", "TOKEN", "SECRET", "passphrase")
)
_QUOTE = r"(?:\\{0,7}(?:[\"']|u0022|u0027)?|%22)"
_IS = rf"{_QUOTE}\]?[ \t]{{0,4}}(?:=>|[:=]|%3[AD])[ \t]{{0,4}}{_QUOTE}"
"""What stands between a name and its value, in JSON that was escaped up to three times, too."""
_TWO_DIGITS = r"(?=[A-Za-z_+/\-]{0,80}?\d[A-Za-z_+/\-]{0,80}?\d)(?=[0-9_+/\-]{0,80}?[A-Za-z])"
_VALUE = rf"{_TWO_DIGITS}([A-Za-z0-9_+/\-]{{16,}}+={{0,2}})"
_ASSIGNED = rf"{_IS}{_VALUE}(?![A-Za-z0-9(.\[])"
"""A value after a name in small letters: two digits, for names of variables stand there, too."""
_PASSWORD = r"(?=[^\s\"'\\]{0,128}?\d)(?![%*])([^\s\"'\\$<>{}\[\]()`;&]{6,128})"
_NO_PLACEHOLDER = r"(?![$<{\[%*])"
_MAIL_USER = r"(?<![A-Za-z0-9._%+\-])(?!git@)[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+"
_MAIL_HOST = (
    r"(?:[A-Za-z0-9\-]{1,63}\.){1,5}(?!(?:png|jpe?g|gif|svg|webp|js|ts|py|json|md|css)\b)[A-Za-z]{2,24}"
)

RULES: tuple[Rule, ...] = (
    Rule(
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
    Rule("webhook", ("hooks.slack.com",), re.compile(r"hooks[.]slack[.]com/services/([A-Za-z0-9/]{20,})")),
    Rule("webhook", ("/webhooks/",), re.compile(rf"/api/webhooks/([0-9]{{10,}}/{_WORD}{{20,}})")),
    Rule(
        "telegram-token",
        (":AA",),
        re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))([0-9]{{8,10}}:AA{_WORD}{{33}})(?!{_WORD})"),
    ),
    Rule(
        "azure-key", ("ccessKey=", "ccountKey="), re.compile(r"cc(?:ess|ount)Key=([A-Za-z0-9+/]{40,}={0,2})")
    ),
    _prefixed("sendgrid-key", "SG[.]", rf"{_WORD}{{16,}}[.]{_WORD}{{16,}}", "SG."),
    _prefixed("token", "eyJ", rf"{_WORD}{{8,}}[.]eyJ{_WORD}{{8,}}[.]{_WORD}{{8,}}"),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"[Aa](?:uthorization|UTHORIZATION)\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
            r"(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|BEARER|BASIC)[ \t]{1,4}"
            r"|(?=[A-Za-z._~+/=:\-]{0,80}?\d))"
            rf"{_NO_PLACEHOLDER}(?![Bb]earer|[Bb]asic|[Tt]oken)([A-Za-z0-9._~+/=:\-]{{8,}})"
        ),
    ),
    Rule(
        "authorization",
        ("earer ", "EARER "),
        re.compile(r"[Bb](?:earer|EARER) {1,4}(?=[A-Za-z_.~+/\-]{0,80}?\d)([A-Za-z0-9._~+/\-]{20,}={0,2})"),
    ),
    Rule(
        "secret",
        ("KEY", "TOKEN", "SECRET", "PASSWORD", "api", "Api"),
        re.compile(
            rf"(?:API[_-]?KEY|SECRET_KEY|ACCESS_KEY|_TOKEN|_SECRET|PASSWORD|[Aa]pi[_-]?[Kk]ey){_IS}"
            r"(?=[A-Za-z_+/\-]{0,80}?\d)(?=[0-9_+/\-]{0,80}?[A-Za-z])([A-Za-z0-9_+/\-]{16,}={0,2})"
        ),
    ),
    Rule(
        "secret",
        ("_key", "_token", "_secret", "-key", "-token", "-secret"),
        re.compile(rf"[_-](?:key|token|secret)(?:{_NAMED}){_ASSIGNED}"),
    ),
    Rule(
        "secret",
        ("Token", "Secret", "Key"),
        re.compile(rf"(?:Token|Secret|Key)(?:{_JOINED}|(?<=-Token)){_ASSIGNED}"),
    ),
    Rule(
        "secret",
        ("token", "secret", "TOKEN", "SECRET", "auth", "passphrase"),
        re.compile(rf"(?:{_ALONE}|auth(?<=[\"'_]auth)){_ASSIGNED}"),
    ),
    Rule("secret", ("assw",), re.compile(rf"assw(?:or)?d{_ASSIGNED}")),
    Rule(
        "secret",
        ("oken ", "ecret ", "assword ", "key "),
        re.compile(rf"--(?:[a-z]{{1,12}}-){{0,2}}(?:token|secret|password|api-?key) {{1,4}}[\"']?{_VALUE}"),
    ),
    Rule(
        "secret",
        ("oken=", "ey=", "ig=", "ignature=", "ecret=", "assword="),
        re.compile(
            r"[?&][A-Za-z_-]{0,24}?(?:[Tt]oken|[Kk]ey|[Ss]ig|[Ss]ignature|[Ss]ecret|[Pp]assword)="
            r"(?=[A-Za-z_.~+/%-]{0,80}?\d[A-Za-z_.~+/%-]{0,80}?\d)([A-Za-z0-9_.~+/%=-]{16,})"
        ),
    ),
    Rule(
        "password",
        ("assword", "asswd", "ASSWORD"),
        re.compile(rf"(?:assw(?:or)?d|ASSWORD)(?:{_IS}(?<=[\"'])|=){_PASSWORD}(?=\\{{0,7}}[\"';])"),
    ),
    Rule(
        "password",
        ("://",),
        re.compile(
            rf"://[^\s/:@\"'<>\\]{{0,128}}:{_NO_PLACEHOLDER}([^\s/@\"'<>\\]{{1,128}})@(?=[A-Za-z0-9\[])"
        ),
    ),
    Rule("mail", ("@",), re.compile(rf"({_MAIL_USER}@{_MAIL_HOST})(?![A-Za-z0-9\-])")),
)
"""Where two rules find the same place, the earlier one names it."""
