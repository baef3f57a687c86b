"""Context windows and prices of models, from the model table, and what a prompt cache makes of
them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

import orjson

from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.errors import InputError
from core.common.json_value import MAX_COUNT, Json, json_fault_and_place
from core.common.number_format import percent
from core.common.paths import data_dir
from core.settings.schema import AS_REPORTED, HOUR
from core.tokens.calibration import median
from core.tokens.counter import litellm_folder
from core.transcript.model import NO_MODEL, Conversation, Message, Speaker

# What a prompt cache makes of a price, in units of one fresh input token.


MIN_CACHED_PREFIX = 1024  # smallest cached prefix in tokens
_T = TypeVar("_T")


def prices_at_size(tokens: float, base: _T, tiers: Sequence[tuple[int, _T]]) -> _T:
    """Return the prices of a request with that many input tokens, cached ones included. ``tiers``
    are (threshold in tokens, prices) in rising order; the whole request, its answer included, has
    the prices of the highest tier whose threshold it exceeds."""
    return next(
        (prices for threshold, prices in reversed(tiers) if tokens > threshold), base
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRates:
    """Prices in US dollars per token: fresh input, output, input read from and written to the
    cache. Where writing costs nothing extra, ``write`` equals ``input``; ``write_hour`` is for a
    cache of one hour. ``tiers`` are the prices of larger requests."""

    model: str
    input: float
    output: float
    read: float
    write: float
    write_hour: float = 0.0
    tiers: tuple[tuple[int, TokenRates], ...] = ()

    def at(self, tokens: float) -> TokenRates:
        """Return the prices of a request with that many input tokens."""
        return prices_at_size(tokens, self, self.tiers)

    def uncached_prices(self, sent: int, received: int) -> tuple[float, float]:
        """Return US dollars for input and output of one uncached request."""
        rates = self.at(sent)
        return sent * rates.input, received * rates.output

    def as_read(self, share: float) -> TokenRates:
        """Return the prices of a session in which only this share of what was sent before is read
        from the cache, and the rest is written again."""
        read = share * self.read + (1 - share) * self.write
        tiers = tuple(
            (threshold, rates.as_read(share)) for threshold, rates in self.tiers
        )
        return replace(self, read=read, tiers=tiers)

    def for_an_hour(self) -> TokenRates:
        """Return the prices with every cache write at the rate of one hour."""
        tiers = tuple(
            (threshold, rates.for_an_hour()) for threshold, rates in self.tiers
        )
        # Where no rate for an hour is known, writing costs what it costs for five minutes.
        return replace(self, write=self.write_hour or self.write, tiers=tiers)


_APPENDED = 500  # tokens added per call, assumed for short histories


def later_call_price(tokens: float, rates: TokenRates, added: float) -> float:
    """Price a request with a warm cache, ``added`` tokens of it new, in the unit of ``rates``."""
    prices = rates.at(tokens)
    return prices.read * tokens + prices.write * added


def break_even(
    before: float,
    after: float,
    prefix: float,
    rates: TokenRates,
    summary: float = 0.0,
    added: float = 0.0,
) -> float | None:
    """Return the calls until a compaction has paid back with a warm cache; None where it never
    does. ``before`` and ``after`` are the tokens of the whole request, ``prefix`` those that stay
    cached, ``added`` those that each call adds; ``summary`` is the price of writing the summary in
    the unit of ``rates``."""
    savings_per_call = later_call_price(before, rates, added) - later_call_price(
        after, rates, added
    )
    return calls_to_pay(summary + rewrite_cost(after, prefix, rates), savings_per_call)


def calls_to_pay(extra_cost: float, savings_per_call: float) -> float | None:
    """Return the calls until a saving has paid for a cost; None where it never does."""
    if savings_per_call > 0:
        return max(0.0, extra_cost / savings_per_call)
    return None


def rewrite_cost(after: float, prefix: float, rates: TokenRates) -> float:
    """Return the extra price of the first request after a compaction."""
    prices = rates.at(after)
    # What is kept in front of the change stays in the cache; the rest is written once.
    return (prices.write - prices.read) * (after - prefix)


def appended_per_call(messages: Sequence[Message], counts: Sequence[int]) -> float:
    """Return the median number of tokens added per request: an answer and what follows it."""

    turns: list[int] = []
    for message, tokens in zip(messages, counts, strict=True):
        if message.speaker is Speaker.AI or not turns:
            turns.append(0)
        turns[-1] += tokens
    # Two turns are no typical ones, so a usual amount is assumed.
    if len(turns) > 2:
        # The median, because one long output would make every call look expensive.
        return float(median(turns))
    return float(_APPENDED)


# The table of models.


ModelRows = Mapping[str, Mapping[str, Json]]

NO_TABLE_HINT = "Install one: pip install 'foldline-slim[models]'"
SAMPLE_ROW = "sample_spec"  # the row of the table that documents the others
SHIPPED_FILE = "model_prices_and_context_window_backup.json"  # file name of the table in litellm's folder
_MODES = frozenset({"chat", "completion", "responses", None})
_TOO_LARGE = 64_000_000  # bytes; the table of 2026 has 3 MB
_PRICES = (
    *("input_cost_per_token", "output_cost_per_token"),
    *("cache_read_input_token_cost", "cache_creation_input_token_cost"),
)
_VARIANTS = (
    "k_tokens",
    "_above_1hr",
)  # ends of the names of further prices that are used


@dataclass(frozen=True, slots=True)
class ModelTableFile:
    """A table on disk; ``is_user_table``: by the user."""

    path: Path
    is_user_table: bool
    modified: datetime
    size: int


def user_table_path() -> Path:
    return data_dir() / "models.json"


def table_file() -> ModelTableFile | None:
    """Return the table of the user, else the shipped one; None where there is none."""
    folder = litellm_folder()
    candidates = (
        (user_table_path(), True),
        *(((folder / SHIPPED_FILE, False),) if folder else ()),
    )
    files = [
        table
        for path, is_user_table in candidates
        if (table := _file(path, is_user_table)) is not None
    ]
    return next(iter(files), None)


def _file(path: Path, is_user_table: bool) -> ModelTableFile | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return ModelTableFile(
        path, is_user_table, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size
    )


def why_unlisted(model: str) -> str:
    """Return why a model has no row, as the rest of a sentence."""
    if table_file() is None:
        return f"there is no model table. {NO_TABLE_HINT}"
    return f"{model} is not in the model table"


@cache
def table_rows() -> ModelRows:
    """Return the rows of chat models; empty where no table can be read."""
    file = table_file()
    try:
        if file:
            raw = orjson.loads(file.path.read_bytes())
        else:
            raw = {}
    except (OSError, ValueError):
        return {}
    if isinstance(raw, dict):
        return _chat_rows(raw)
    return {}


def update_table(source: Path) -> int:
    """Store a copy of a table for future prices; return the number of its chat models. Raises
    InputError where it is invalid or cannot be stored."""
    data = _read(source)
    rows = _chat_rows(_checked(data, source))
    if not any("input_cost_per_token" in row for row in rows.values()):
        raise InputError(f"{source} has no model with a price for its tokens.", _SHAPE)
    create_parent_folder(user_table_path())
    write_atomic(user_table_path(), data, overwrite=True, source=source)
    return len(rows)


def reset_table() -> bool:
    """Return to the shipped table; False where there was no other. Raises InputError."""
    try:
        user_table_path().unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(
            f"{user_table_path()} cannot be removed: {error.strerror}."
        ) from error
    return True


_SHAPE = (
    "It must be a JSON object of models by name, like litellm's "
    "model_prices_and_context_window.json."
)


def _read(source: Path) -> bytes:
    try:
        with source.open("rb") as file:
            data = file.read(_TOO_LARGE + 1)
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(
            f"{source} cannot be read: {cause}.", "Check the path."
        ) from error
    if len(data) > _TOO_LARGE:
        raise InputError(
            f"{source} is larger than {_TOO_LARGE // 1_000_000} MB, too large for a table "
            f"of models."
        )
    return data


def _checked(data: bytes, source: Path) -> Mapping[str, Json]:
    try:
        raw = json.loads(data)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source} is not JSON: {json_fault_and_place(error)}.", _SHAPE
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON.", _SHAPE) from error
    if not isinstance(raw, dict) or not raw:
        raise InputError(f"{source} is not a table of models.", _SHAPE)
    for name, row in raw.items():
        if name != SAMPLE_ROW and (fault := _row_fault(row)):
            raise InputError(f"{source}: the row of {name!r} {fault}.", _SHAPE)
    return raw


def _row_fault(row: Json) -> str:
    """Return the fault of a row as the end of a sentence; "" without one."""
    if not isinstance(row, dict):
        return "is not an object"
    for field, value in row.items():
        is_used = field in _PRICES or (
            field.startswith(_PRICES) and field.endswith(_VARIANTS)
        )
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_price = value is None or (is_number and math.isfinite(value) and value >= 0)
        if is_used and not is_price:
            return f"has {field} that is not a price in dollars per token"
    return ""


def _chat_rows(raw: Mapping[str, Json]) -> ModelRows:
    return {
        name: row
        for name, row in raw.items()
        if name != SAMPLE_ROW and isinstance(row, dict) and row.get("mode") in _MODES
    }


_LONG_SUFFIX = re.compile(
    r"\[1m\]$", re.IGNORECASE
)  # Claude Code's suffix for a window of a million tokens
_LONG_LIMIT = 1_000_000
_DATED = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d)$")
_HOSTED = re.compile(
    r"^(?:[a-z-]+\.)+(?=[a-z])|-v\d+(?::\d+)?$|:.*$"
)  # vendor in front, release behind
_CLAUDE_CODE_LIMIT = 200_000
_INEXACT_HOST = "gmi/"  # this host's rows give 409,600 for every large window

_NOT_FOR_CHAT = (
    "guard",
    "embed",
    "audio",
    "tts",
    "realtime",
    "moderation",
    "ocr",
    "transcribe",
    "search",
)

_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_VERSION = re.compile(r"(?<![\d.])\d{1,2}(?:[.-]\d{1,2})?(?![\d.a-z])")
_READ, _WRITE = "cache_read_input_token_cost", "cache_creation_input_token_cost"
_SUGGESTED_PROVIDERS = ("anthropic", "openai", "gemini")
_SUGGESTED = 4  # models of each provider


@dataclass(frozen=True, slots=True)
class ModelLimit:
    """A model's context limit in tokens, None if unknown, and its source."""

    tokens: int | None
    source: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """One row of the table: limits in tokens, prices in US dollars per token; None where not
    stated. ``rates`` are all prices, None without a price for input or output."""

    name: str
    provider: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    input_price: float | None
    output_price: float | None
    rates: TokenRates | None


def find_model(name: str) -> ModelInfo | None:
    """Return the row of a model: by its name, without provider prefixes, or at another host. Hosts
    often still list models that their maker has withdrawn, under longer names."""
    table = table_rows()
    base_name = _LONG_SUFFIX.sub("", name.strip())
    parts = base_name.split("/")
    candidates = ["/".join(parts[start:]) for start in range(len(parts))]
    match = next((candidate for candidate in candidates if candidate in table), None)
    if match is None and (key := _common_key(base_name)):
        match = _names_by_key().get(key) or _names_by_key().get(_DATED.sub("", key))
    if match is None:
        return None
    info = _info(match, table[match])
    if base_name == name.strip():
        return info
    return replace(info, max_input_tokens=_LONG_LIMIT)


def token_rates(name: str, hour_cache: bool = False) -> TokenRates | None:
    """Return a model's prices, None where the table has none; ``hour_cache``: for a cache of one
    hour."""
    if name:
        info = find_model(name)
    else:
        info = None
    if info is None or info.rates is None:
        return None
    named_rates = replace(info.rates, model=name)
    if hour_cache:
        return named_rates.for_an_hour()
    return named_rates


def caches_for_an_hour(conversation: Conversation, lifetime: str) -> bool:
    """Return whether cache writes are for one hour; ``lifetime`` is the value of
    ``compression.cache-lifetime``."""
    return lifetime == HOUR or (lifetime == AS_REPORTED and conversation.hour_cache)


def choose_model(conversation: Conversation, override: str = "") -> str:
    """Return the override, the file's last model, or "": for limit, tokenizer, prices."""
    file_model = "" if conversation.model == NO_MODEL else conversation.model
    return override.strip() or file_model


def suggested_models(conversation: Conversation) -> tuple[str, ...]:
    """Return the models for a picker: the file's first, then well-known ones."""
    file_model = choose_model(conversation)
    known = known_models()
    return tuple(dict.fromkeys((file_model, *known) if file_model else known))


def model_names() -> tuple[str, ...]:
    return tuple(table_rows())


def known_models() -> tuple[str, ...]:
    """Return the newest models of the most used agents' providers."""
    return tuple(
        name
        for provider in _SUGGESTED_PROVIDERS
        for name in newest_models(provider)[:_SUGGESTED]
    )


def _is_special(name: str) -> bool:
    return bool(_DATED.search(name)) or any(
        word in name for word in (":", "/", "preview")
    )


def _is_sold_for_chat(name: str, row: Mapping[str, Json]) -> bool:
    has_price = bool(_price(row.get("input_cost_per_token")))
    return (
        has_price
        and row.get("mode") in ("chat", "responses")
        and _is_for_chat(name, row)
    )


def newest_models(provider: str) -> tuple[str, ...]:
    """Return the newest chat model of each family of a provider, newest first, as transcripts name
    it.

    A family is a name without its version ("claude-opus", "gpt-mini"); of equally new families the
    one with the shortest name comes first. Models without a version or price, deprecated, dated,
    previews or not for chat are left out.
    """
    families: dict[str, tuple[tuple[int, ...], int, str]] = {}
    for name, row in table_rows().items():
        if row.get("litellm_provider") != provider:
            continue
        short_name = name.removeprefix(f"{provider}/")
        version = _VERSION.search(short_name)
        if (
            not version
            or _is_special(short_name)
            or not _is_sold_for_chat(short_name, row)
        ):
            continue
        number = tuple(int(part) for part in re.split("[.-]", version[0]))
        family = short_name[: version.start()] + short_name[version.end() :]
        families[family] = max(
            families.get(family, ((), 0, "")), (number, -len(short_name), short_name)
        )
    return tuple(name for _, _, name in sorted(families.values(), reverse=True))


def cheapest_chat(provider: str, limit: int) -> str | None:
    """Return the provider's cheapest chat model whose window holds ``limit`` tokens, by its own
    name. By the price of input and output, without models that have no price, are deprecated or not
    for chat."""
    priced = [
        (info.input_price + info.output_price, info.name)
        for name, row in table_rows().items()
        if row.get("litellm_provider") == provider
        and row.get("mode") == "chat"
        and _is_for_chat(name, row)
        for info in [_info(name, row)]
        if info.input_price
        and info.output_price
        and (info.max_input_tokens or 0) >= limit
    ]
    if priced:
        return min(priced)[1].removeprefix(f"{provider}/")
    return None


def _is_for_chat(name: str, row: Mapping[str, Json]) -> bool:
    return "deprecation_date" not in row and not any(
        word in name.lower() for word in _NOT_FOR_CHAT
    )


def find_model_limit(
    conversation: Conversation, model: str, setting_limit: int | None
) -> ModelLimit:
    """Return the context limit and its source; ``model`` from ``choose_model``."""
    if setting_limit is not None:
        return ModelLimit(setting_limit, "set by compression.context-limit", model)
    limit = _known_limit(conversation, model)
    largest = _largest_request(conversation, model)
    if limit.tokens is None or largest <= limit.tokens:
        return limit
    # The window is larger than the table says: Claude has a second one, others at least this one.
    tokens = largest
    if "claude" in model.lower() and largest <= _LONG_LIMIT:
        tokens = _LONG_LIMIT
    fired = _fired_text(_automatic_size(conversation), tokens)
    return ModelLimit(
        tokens, f"a request of {largest:,} tokens was answered{fired}", model
    )


def _known_limit(conversation: Conversation, model: str) -> ModelLimit:
    """Return the limit that the file reports, else that of the model's name."""
    if conversation.reported_limit is not None:
        return ModelLimit(conversation.reported_limit, "reported in the file", model)
    automatic = _automatic_size(conversation)
    if _LONG_SUFFIX.search(model.strip()):
        return ModelLimit(
            _LONG_LIMIT, f"{model}{_fired_text(automatic, _LONG_LIMIT)}", model
        )
    is_default = automatic is not None and automatic < _CLAUDE_CODE_LIMIT
    if conversation.format == "claude_code" and is_default:
        return ModelLimit(
            _CLAUDE_CODE_LIMIT, f"the agent compacted at {automatic:,}", model
        )
    if model:
        info = find_model(model)
    else:
        info = None
    if info is not None and info.max_input_tokens is not None:
        return ModelLimit(
            info.max_input_tokens, f"{info.name} in the model table", model
        )
    if model:
        missing = why_unlisted(model)
    else:
        missing = "the file names no model"
    return ModelLimit(None, f"unknown: {missing}", model)


def _automatic_size(conversation: Conversation) -> int | None:
    """Return the smallest size at which the agent compacted by itself."""
    automatic = (one for one in conversation.recorded if one.trigger == "auto")
    sizes = (one.tokens_before for one in automatic if one.tokens_before is not None)
    return min(sizes, default=None)


def _fired_text(automatic: int | None, limit: int) -> str:
    if automatic is None:
        return ""
    return (
        f"; the agent compacted at {automatic:,}, {percent(automatic / limit, 0)} of it"
    )


def _largest_request(conversation: Conversation, model: str) -> int:
    """Return the largest request that the model answered, as the file reports it."""
    if model != choose_model(conversation):
        return 0
    usages = (one for one in conversation.usage if one.model in ("", model))
    return max((one.context for one in usages), default=0)


def _common_key(name: str) -> str:
    """Return what the names of one model at different hosts have in common."""
    bare = _HOSTED.sub("", name.lower().rpartition("/")[2])
    return bare.replace(".", "-").replace("@", "-")


@cache
def _names_by_key() -> Mapping[str, str]:
    """Return the shortest table name by common key, and by key without its date where unambiguous.
    A host with inexact windows counts only where no other has the model."""
    names = sorted(
        table_rows(),
        key=lambda name: (name.startswith(_INEXACT_HOST), len(name)),
        reverse=True,
    )
    dated = {_common_key(name): name for name in names}
    return {_DATED.sub("", key): name for key, name in dated.items()} | dated


def _info(name: str, row: Mapping[str, Json]) -> ModelInfo:
    return ModelInfo(
        name=name,
        provider=str(row.get("litellm_provider", "")),
        max_input_tokens=_positive(row.get("max_input_tokens")),
        max_output_tokens=_positive(row.get("max_output_tokens")),
        input_price=_price(row.get("input_cost_per_token")),
        output_price=_price(row.get("output_cost_per_token")),
        rates=_rates(name, row),
    )


def _rates(name: str, row: Mapping[str, Json]) -> TokenRates | None:
    """Return all prices of a row. Without a cache price, reading the cache costs as much as fresh
    input; prices that a tier does not name rise with its input price."""
    fresh = _price(row.get("input_cost_per_token"))
    output = _price(row.get("output_cost_per_token"))
    if fresh is None or output is None:
        return None
    read = _price(row.get(_READ))
    write = max(_price(row.get(_WRITE)) or fresh, fresh)
    hour = max(_price(row.get(f"{_WRITE}_above_1hr")) or write, write)
    base = TokenRates(
        model=name,
        input=fresh,
        output=output,
        read=fresh if read is None else read,
        write=write,
        write_hour=hour,
    )
    above = sorted(int(found[1]) for field in row if (found := _TIER.fullmatch(field)))
    tiers = (
        (thousands * 1000, _tier(base, row, f"_above_{thousands}k_tokens"))
        for thousands in above
    )
    return replace(base, tiers=tuple(tiers))


def _tier(base: TokenRates, row: Mapping[str, Json], suffix: str) -> TokenRates:
    fresh = _price(row[f"input_cost_per_token{suffix}"])
    fresh = base.input if fresh is None else fresh
    if base.input:
        dearer = fresh / base.input
    else:
        dearer = 1.0
    output, read, write, hour = (
        _price(row.get(f"{field}{suffix}"))
        for field in ("output_cost_per_token", _READ, _WRITE, f"{_WRITE}_above_1hr")
    )
    write = max(base.write * dearer if write is None else write, fresh)
    return TokenRates(
        model=base.model,
        input=fresh,
        output=base.output * dearer if output is None else output,
        read=base.read * dearer if read is None else read,
        write=write,
        write_hour=max(base.write_hour * dearer if hour is None else hour, write),
    )


def _positive(value: Json) -> int | None:
    if isinstance(value, int | float) and 0 < value <= MAX_COUNT:
        return int(value)
    return None


def _price(value: Json) -> float | None:
    if isinstance(value, int | float) and abs(value) <= MAX_COUNT:
        return float(value)
    return None
