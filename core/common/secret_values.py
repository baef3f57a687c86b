"""Checks that a candidate value is a secret: no placeholder, no code, no plain word."""

from __future__ import annotations

import base64
import re
import string
from functools import cache
from typing import TypeAlias

RankedSecret: TypeAlias = tuple[int, int, int, str]
"""Start, negated end, rank of the rule and kind: the match to keep sorts first."""
# Most patterns are never needed, and all together take 50 ms.
compiled = cache(re.compile)

_PLACEHOLDER = re.compile(
    r"(?i)^[$%*<{(\[]|^[x*•._\-]+$|\$\{|\{\{|\}\}|<[a-z _-]+>|\*{3}|\.\.\.|…|xxxx|redacted|dummy"
    r"|(?:^|[^a-z])(?:your|my|some|the)[-_]?[a-z_-]*(?:key|token|secret|pass|pwd)|change[-_]?me|placeholder"
    r"|^(?:env|process|os|secrets?|vars?|config|settings|self|this|args|options|ctx|req|request|data|params)[.:]"
)
_HARMLESS = re.compile(
    r"(?i)^(?:(?:new|old|confirm|current|user|my|test|db|admin|root)?[-_]?pass(?:word|wd|phrase)?[-_]?\d?"
    r"|(?:sha|md|utf|base|u?int|float|oauth|http|bcrypt|argon|pbkdf|aes|rsa|hs|rs|es|tls|ssl|ipv|v)[-_]?\d[\w-]{0,8}"
    r"|(?:true|false|none|null|undefined|string|str)[,;]?)$"
)
_PATH = re.compile(
    r"^(?:[A-Za-z_][\w-]*(?:\(\))?(?:[.:]{1,2}|->)){1,6}[A-Za-z_]\w*$|^[.~]{0,2}/|://|^[A-Za-z]:\\"
)
_DATE = re.compile(r"^\d{4}-\d\d-\d\d|^[0-9.:_/\-]+$")
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|(?<![A-Za-z0-9])[A-Z]{3,}(?![A-Za-z0-9])")
_EXAMPLES = re.compile(r"(?i)example|your[-_]|dummy|placeholder|xxxx")
_TOKEN = re.compile(r"[A-Za-z0-9_+/\-.~:=|]{16,}")
_NUMBER = re.compile(r"[0-9]{6,}")
_SYMBOLS = frozenset("!@#$%^&*?+=~<>()[]{}|;,")
# Characters of a token after a name; of one that is no code.
_MIN_TOKEN, _MIN_LITERAL = (
    16,
    12,
)
_PRINTED = re.compile(r"[!-~]+")
_INNER_DIGIT = re.compile(r"[0-9][A-Za-z]")
_ENCODED_SIGNS = f"{string.ascii_letters}{string.digits}+/_-"
_MIN_ENCODED = 16  # characters by which an encoded word is recognised
_FUNCTION_WORD = re.compile(
    r"(?i)(?:an?|all|and|any|are|as|at|be|by|can|char(?:acter)?s|digits|enter|for|from|has|have|if|in|is|it|least"
    r"|letters|long|must|my|new|not?|of|one?|only|or|please|should|than|that|the|then|this|to|user?|value|was|when"
    r"|with|your?)"
)


def is_placeholder(value: str) -> bool:
    """Return True for a placeholder of a secret: ``$TOKEN``, ``<token>``, ``YOUR_API_KEY``."""
    return bool(_PLACEHOLDER.search(value))


def is_token(value: str, *, is_literal: bool = False) -> bool:
    """Return True for a random key: two digits at least, and no words, paths, dates.

    ``is_literal``: it is in quotes or in a shell assignment, so that it is no code, and may have
    any sign and be a little shorter.
    """
    if is_literal:
        least, signs = _MIN_LITERAL, _PRINTED
    else:
        least, signs = _MIN_TOKEN, _TOKEN
    if len(value) < least or not signs.fullmatch(value):
        return False
    if _DATE.match(value) or is_placeholder(value):
        return False
    # Parts of some keys are joined by points, as names of attributes are.
    if _PATH.search(value) and not _has_random_parts(value):
        return False
    # The shorter a value is, the more digits must speak for it.
    least_digits = 2 if len(value) >= _MIN_TOKEN else 3
    if sum(map(str.isdigit, value)) < least_digits:
        return False
    return any(map(str.isalpha, value)) and not is_words(value)


def _has_random_parts(value: str) -> bool:
    """Return True if what looks like ``name.of.attribute`` has parts that no name has."""
    if "/" in value or "\\" in value:
        return False
    parts = re.split(r"[.:>\-]+", value)
    random_parts = [
        part for part in parts if _INNER_DIGIT.search(part) and is_random(part)
    ]
    return len(random_parts) > 1


def is_random(value: str) -> bool:
    """Return True for a part of a key: two digits at least, and no words."""
    return sum(map(str.isdigit, value)) > 1 and not is_words(value)


def is_mixed(value: str) -> bool:
    """Return True for a random value with small letters and capitals."""
    return (
        is_random(value)
        and any(map(str.isupper, value))
        and any(map(str.islower, value))
    )


def is_encoded(word: str) -> bool:
    """Return True if a text ends in what base64 looks like."""
    run = word[len(word.rstrip(_ENCODED_SIGNS)) :]
    is_cased = any(map(str.isupper, run)) and any(map(str.islower, run))
    return len(run) >= _MIN_ENCODED and is_cased and not is_words(run)


def is_random_word(word: str) -> bool:
    """Return True for a word that no sentence has: digits among letters, or a digit and a sign."""
    if len(word) < 4 or is_placeholder(word):
        return False
    if _HARMLESS.match(word) or _PATH.search(word):
        return False
    # Signs at the end may belong to the sentence around it.
    trimmed = word.rstrip("!?.,:;*)")
    digits = sum(map(str.isdigit, trimmed))
    if not digits or not any(map(str.isalpha, trimmed)):
        return False
    if any(sign in _SYMBOLS for sign in trimmed):
        return True
    # One digit alone may count something: "step2".
    return digits > 1 and not is_words(word)


def is_passphrase(value: str, *, is_shell: bool) -> bool:
    """Return True for words that are no sentence: half are random, or all are small letters in a
    shell."""
    words = value.split()
    if not 2 <= len(words) <= 8 or is_placeholder(value):
        return False
    if any(map(_FUNCTION_WORD.fullmatch, words)):
        return False
    if 2 * sum(map(is_random_word, words)) >= len(words):
        return True
    # Four and more plain words are how passphrases are made: "correct horse battery staple".
    is_plain = all(word.isalpha() and word.islower() for word in words)
    return is_shell and len(words) >= 4 and is_plain


def is_words(value: str) -> bool:
    return 2 * sum(map(len, _WORDS.findall(value))) > len(value)


def is_example(value: str) -> bool:
    return bool(_EXAMPLES.search(value))


def is_password(value: str, *, is_literal: bool) -> bool:
    """Return True for a password after a name that announces one.

    ``is_literal``: it is in quotes or in a shell assignment, so that it is not the name of a
    variable. Otherwise it must have characters that names of variables do not have.
    """
    if len(value) < 6 or is_placeholder(value):
        return False
    if _HARMLESS.match(value) or _PATH.search(value):
        return False
    # Signs at the end may belong to the sentence around it.
    trimmed = value.rstrip("!?.,:;*")
    digits = sum(map(str.isdigit, trimmed))
    if not any(map(str.isalpha, trimmed)):
        return is_literal and bool(_NUMBER.fullmatch(value))
    has_symbol = any(sign in _SYMBOLS for sign in trimmed)
    if is_literal:
        return digits > 0 or has_symbol
    if digits == 0 or _DATE.match(value):
        return False
    return has_symbol or digits > 1 or value != trimmed


def is_login(word: str) -> bool:
    """Return True for base64 of ``user:password``."""
    user, colon, password = decoded_text(word, b"-_").partition(":")
    return bool(user and colon and password) and f"{user}{password}".isprintable()


def is_discord_id(word: str) -> bool:
    """Return True for base64 of the number that begins a bot's token."""
    return decoded_text(word, b"-_").isdigit()


def decoded_text(word: str, altchars: bytes | None = None) -> str:
    """Return the text of a base64 word; "" for any other text."""
    try:
        return base64.b64decode(
            word + "=" * (-len(word) % 4), altchars=altchars
        ).decode("ascii")
    except (
        ValueError
    ):  # also of a word that is not ASCII, which base64 calls no error of its own
        return ""


_DOMAINS = re.compile(
    r"com|org|net|edu|gov|mil|int|info|biz|name|pro|dev|app|xyz|tech|online|site|cloud|email|live|store|shop"
    r"|blog|news|world|today|life|team|work|company|agency|digital|design|studio|systems|software|solutions"
    r"|services|group|network|media|global|space|fun|art|page|link|chat|[a-z]{2}"
)
_SUFFIXES = re.compile("py|js|ts|rb|rs|go|sh|md|cc|hs|ml|pl|ps|so|vb|cs|db")
"""Two-letter suffixes that end a file or a module far more often than an address."""
_NOBODY = re.compile(
    r"(?i)(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|git|hg|svn|ssh|root|nobody"
    r"|user(?:name)?\d{0,3}|you|your[-_.]?\w*|name|(?:first|last)[-_.]?name.*|first\.last"
    r"|e?mail|me|someone|somebody|foo|bar|baz|test(?:er|ing|user)?\d{0,3}|example|sample|dummy|x+|abc)"
)
_EXAMPLE = re.compile(
    r"(?i)(?:.*\.)?(?:example|test|domain|company|e?mail|work|personal|your\w*|my\w*|some\w*|acme|foo|bar|host)"
    r"\.(?:com|org|net|edu|io|co)"
)
_UUID = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9]{12,}|[0-9a-f]{24,}"
)


def is_mail(address: str) -> bool:
    """Return True for a person's address: no service, no decorator, no ``user@example.com``."""
    user, _, host = address.rpartition("@")
    last = host.rpartition(".")[2].lower()
    if not _DOMAINS.fullmatch(last) or _SUFFIXES.fullmatch(last):
        return False
    if _NOBODY.fullmatch(user) or _UUID.fullmatch(user):
        return False
    # GitHub gives each account an address at users.noreply.github.com.
    if ".noreply." in f".{host}":
        return False
    if not _EXAMPLE.fullmatch(host):
        return True
    # Even at such a host a name with a digit or a point may be real, as "j.smith7@company.com".
    has_sign = any(sign in f"{string.digits}._" for sign in user)
    return has_sign and not re.search(r"(?i)doe|test|user|sample", user)
