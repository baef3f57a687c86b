"""The schema of setting declarations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from core.common import number_format
from core.common.errors import InputError, MissingValueError

# Keys of the settings that strategies read.


STRATEGY = "compression.strategy"
PROFILE = "compression.profile"
MODE = "compression.mode"
THRESHOLD = "compression.threshold"
PRESERVE = "compression.preserve-threshold"
TOP_PRESERVE = "compression.top-preserve-threshold"
LIMIT = "compression.context-limit"
CACHE_LIFETIME = "compression.cache-lifetime"
SUMMARY_TOKENS = "compression.summary-tokens"
IMAGES = "compression.images"
READ_WRITE = "compression.density.read-write-pruning"
FILE_DEDUPE = "compression.density.file-dedupe"
RECENCY = "compression.density.recency-pruning"
RETENTION = "compression.density.recency-retention"
HEADROOM = "compression.density.compress-headroom"
OPTIMIZE_THRESHOLD = "compression.density.optimize-threshold"
RETRIES = "compression.retries"
AUTO = "compression.auto"
WARNING = "compression.warning"
COMPACTION_MODEL = "compression.tiered.model"
PROTECTED = "compression.tiered.protected-messages"
TARGET = "compression.tiered.target"
MAX_OUTPUT = "compression.tiered.max-tool-output-tokens"
KEEP_OUTPUT = "compression.tiered.truncate-keep-tokens"
OUTPUT_RESERVE = "compression.tiered.output-reserve"
SUMMARY_ROLE = "compression.tiered.summary-role"
HYBRID_MODE = "compression.hybrid.mode"
HYBRID_TARGET = "compression.hybrid.target"
HYBRID_PROTECTED = "compression.hybrid.protected-messages"
HYBRID_MIN = "compression.hybrid.min-messages"
HYBRID_USER = "compression.hybrid.user-tokens"
HYBRID_ASSISTANT = "compression.hybrid.assistant-tokens"
HYBRID_OTHER = "compression.hybrid.other-tools"
HYBRID_FAILURE = "compression.hybrid.on-failure"
HYBRID_BATCH = "compression.hybrid.batch"
EXCERPT_TARGET = "compression.excerpt.target"
EXCERPT_SUMMARY = "compression.excerpt.summary"
STUB_TOKENS = "compression.stub.tokens"
STUB_KEEP = "compression.stub.keep-results"

DENSITY_SWITCHES = (READ_WRITE, FILE_DEDUPE, RECENCY)

AS_REPORTED, HOUR = "reported", "1h"


SettingValue: TypeAlias = bool | int | float | str
SettingChanges: TypeAlias = tuple[tuple[str, SettingValue | None], ...]
"""Pairs of key and value; None removes a value."""


class SettingKind(StrEnum):
    CHOICE = "choice"
    FLAG = "flag"
    FRACTION = "fraction"
    WHOLE = "whole"
    TEXT = "text"


PROFILES = "profiles"
"""Completer for the names of saved profiles (REQ-CS-007.5)."""


class AffectedStage(StrEnum):
    """The first stage of the preview that a change invalidates."""

    LIMIT = "limit"
    DENSITY = "density"
    COMPRESS = "compress"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingBounds:
    """The least and the greatest value, inclusive unless ``low_open``, and the step of an editor.
    ``takes_tokens``: a value above 1 is no share but a number of tokens."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    step: float = 0.01
    takes_tokens: bool = False


class TuneRange(NamedTuple):
    """The values that a search tries, both ends included. ``is_size``: the setting says how much a
    strategy leaves, so that results are compared at equal size over it."""

    low: float
    high: float
    step: float
    is_size: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The declaration of a setting. ``default`` None means optional: the setting may have no value.
    ``help`` is one sentence, ``label`` the text in the window. ``completer`` is "profiles" if the
    names of profiles are offered as values, else "". ``tune`` is the range in which a search may
    vary it."""

    key: str
    kind: SettingKind
    default: SettingValue | None
    label: str
    help: str
    section: str
    affects: AffectedStage
    unit: str = ""
    choices: Sequence[str] = ()
    bounds: SettingBounds = SettingBounds()
    hint: str = ""
    completer: str = ""
    optional: bool = False
    aliases: tuple[str, ...] = ()
    tune: TuneRange | None = None

    @property
    def is_size(self) -> bool:
        """Whether it says how much a strategy leaves."""
        return self.tune is not None and self.tune.is_size

    @property
    def tuned_values(self) -> tuple[SettingValue, ...]:
        """The values that a search may try, ascending; none where the setting is not to be
        tuned."""
        if self.tune is None:
            return ()
        low, high, step = self.tune.low, self.tune.high, self.tune.step
        numbers = [
            round(low + number * step, 6)
            for number in range(round((high - low) / step) + 1)
        ]
        if self.kind is SettingKind.FLAG:
            return False, True
        if self.kind is SettingKind.CHOICE:
            return tuple(self.choices)
        if self.kind is SettingKind.WHOLE:
            return tuple(int(one) for one in numbers)
        return tuple(numbers)


class Mode(StrEnum):
    """``reference``: behaves as the reference implementation, faults included; ``safe``: with
    fixes."""

    SAFE = "safe"
    REFERENCE = "reference"


def setting_text(kind: SettingKind, value: SettingValue | None) -> str:
    """Return the displayed value of a setting: 20 %, on, 4,000, middle-out, or a dash if it has
    none."""
    if value is None or value == "":
        return number_format.UNKNOWN
    if kind is SettingKind.FLAG:
        return "on" if value else "off"
    if kind is SettingKind.FRACTION and isinstance(value, int | float):
        if value > 1:
            return f"{number_format.count(round(value))} tokens"
        return number_format.percent(value).replace(".0 %", " %")
    if kind is SettingKind.WHOLE and isinstance(value, int | float):
        return number_format.count(int(value))
    return str(value)


class UnknownChoice(str):
    """A saved value of a choice that is none of the choices; ``fault`` names file and line. It
    stands for no other value: who needs the setting gets the fault."""

    fault: str

    def __new__(cls, text: str, fault: str) -> UnknownChoice:
        choice = super().__new__(cls, text)
        choice.fault = fault
        return choice

    def __reduce__(self) -> tuple[type[UnknownChoice], tuple[str, str]]:
        return UnknownChoice, (str(self), self.fault)


class SettingLayer(StrEnum):
    """The layers of values, highest first."""

    SESSION = "session"
    PROJECT = "project"
    SAVED = "saved"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """A value and its layer; None is an optional setting without a value."""

    value: SettingValue | None
    layer: SettingLayer
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """An immutable snapshot of all effective settings by key."""

    by_key: Mapping[str, EffectiveValue]

    @property
    def limit(self) -> int | None:
        """Tokens of the window; None without a value."""
        value = self.get(LIMIT)
        if value is None:
            return None
        return int(value)

    def get(self, key: str) -> SettingValue | None:
        """Return a value, None without one; raises InputError for a saved choice that is not
        known."""
        value = self.by_key[key].value
        if isinstance(value, UnknownChoice):
            raise InputError(value.fault)
        return value

    def _required(self, key: str) -> SettingValue:
        value = self.get(key)
        if value is None or value == "":
            raise MissingValueError(
                f"{key} has no value.", "Set one.", key=key, option=f"--set {key}=VALUE"
            )
        return value

    def text(self, key: str) -> str:
        """Return a text or choice; raises InputError if it has no value (REQ-CS-009.4)."""
        return str(self._required(key))

    def flag(self, key: str) -> bool:
        return bool(self._required(key))

    def number(self, key: str) -> float:
        return float(self._required(key))

    def integer(self, key: str) -> int:
        return int(self._required(key))


def with_setting(values: Values, key: str, value: SettingValue | None) -> Values:
    return Values({**values.by_key, key: EffectiveValue(value, SettingLayer.SESSION)})


def offline_values(values: Values) -> Values:
    return with_setting(values, PROFILE, None)


def with_strategy(values: Values, name: str) -> Values:
    return with_setting(values, STRATEGY, name)


# Sizes as a person types them: in tokens or in percent.


_SIZE = re.compile(
    r"""
    (?P<number>
        \d{1,3}(?:,\d{3})+ | \d*\.\d+ | \d+  # 20,000 or 20.5 or 20
        | 0,\d+ | \d+,\d  # 0,25 or 20,5
    )
    \s* (?P<unit> k | m | % )?
    (?: \s* tokens? )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_DECIMAL_COMMA = re.compile(r"0,\d+|\d+,\d")
"""What cannot be half of a number in thousands, as 20,00 is."""
_FACTORS = {"k": 1_000, "m": 1_000_000}
MOST_PERCENT = 100
"""A number without a unit up to this is a percentage: nobody aims for 20 tokens."""


def plain_number(text: str) -> str:
    """Return a number as people write it in the digits that Python reads: "20,000" and "20_000" as
    "20000", "0,5" as "0.5"."""
    digits = text.strip().replace("_", "")
    if _THOUSANDS.fullmatch(digits):
        return digits.replace(",", "")
    if _DECIMAL_COMMA.fullmatch(digits):
        return digits.replace(",", ".")
    return digits


def share_value(text: str) -> float:
    """Return "0.7", "0,7" or "70 %" as a number; raises ValueError."""
    text = text.strip()
    if text.endswith("%"):
        return float(plain_number(text[:-1])) / 100
    return float(plain_number(text))


def aim_value(text: str) -> float | None:
    """Return what "20k", "20,000", "10 %", "10" or "0.1" aims for: a share up to 1, tokens above it;
    None for anything else."""
    match = _SIZE.fullmatch(text.strip().replace("_", ""))
    if match is None:
        return None
    number = float(plain_number(match["number"]))
    unit = (match["unit"] or "").lower()
    if unit in _FACTORS:
        tokens = number * _FACTORS[unit]
        return tokens if tokens > MOST_PERCENT else None
    if unit == "%" or 1 < number <= MOST_PERCENT:
        number /= 100
        return number if number <= 1 else None
    return number


def token_count(text: str) -> int | None:
    """Return a number of tokens: "20k", "20,000", "1.5M"; None for anything else."""
    match = _SIZE.fullmatch(text.strip().replace("_", ""))
    if match is None or match["unit"] == "%":
        return None
    factor = _FACTORS.get((match["unit"] or "").lower(), 1)
    number = float(plain_number(match["number"])) * factor
    if factor > 1 or number.is_integer():
        return round(number)
    return None


def aim_size(aim: float, limit: int | None) -> int | None:
    """Return in tokens an aim that is a share of ``limit`` up to 1, or tokens above it; None for a
    share where no limit is known."""
    if aim > 1:
        return round(aim)
    if limit is None:
        return None
    return round(aim * limit)


def share_of_aim(value: float, whole: float) -> float:
    """Return a size that is set as a share, or in tokens, as a share of ``whole`` tokens."""
    if value <= 1 or whole <= 0:
        return value
    return value / whole
