"""Context limits and prices of models, from the table that ships with litellm, read as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from core.cache_sums import ASSUMED, CacheRates
from core.conversation import Conversation, Json
from core.encodings import litellm_folder

_TABLE = "model_prices_and_context_window_backup.json"
_MODES = frozenset({"chat", "completion", "responses", None})
_NO_MODEL = "<synthetic>"  # Claude Code's name for messages that no model wrote
_LONG = re.compile(r"\[1m\]$", re.IGNORECASE)  # Claude Code's mark for a window of a million tokens
_LONG_WINDOW = 1_000_000
_DATED = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d)$")
_HOSTED = re.compile(r"^(?:[a-z-]+\.)+(?=[a-z])|-v\d+(?::\d+)?$|:.*$")  # vendor in front, release behind
_CLAUDE_CODE_WINDOW = 200_000
_ROUGH = "gmi/"  # this host's rows give 409,600 for whatever has a large window, Claude Sonnet 4 as GPT-5

_FIELDS = (
    *("litellm_provider", "mode", "deprecation_date", "max_input_tokens", "max_output_tokens"),
    *("input_cost_per_token", "output_cost_per_token"),
    *("cache_read_input_token_cost", "cache_creation_input_token_cost"),
)
"""What is used of a row of the table; a row has several times as many fields."""
_OTHER_WORK = ("guard", "embed", "audio", "tts", "realtime", "moderation", "ocr", "transcribe", "search")

_KNOWN = (
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-opus-4-5",
    "claude-sonnet-4-5",
    "gpt-5.5",
    "gpt-5",
    "gpt-4o",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
)


@dataclass(frozen=True, slots=True)
class Window:
    """A model's context limit in tokens, None if unknown; ``source`` says where it comes from."""

    limit: int | None
    source: str
    model: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One row of the table: limits in tokens, prices in US dollars per token; None where not stated."""

    name: str
    provider: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    input_price: float | None
    output_price: float | None
    cache_read_price: float | None
    cache_write_price: float | None


def find_model(name: str) -> ModelInfo | None:
    """The row of a model: as named, else without provider prefixes, else the same model elsewhere.

    A model that its maker has withdrawn is often still listed at a host, under a longer name.
    """
    table = _table()
    bare = _LONG.sub("", name.strip())
    parts = bare.split("/")
    candidates = ["/".join(parts[start:]) for start in range(len(parts))]
    found = next((one for one in candidates if one in table), None) or _elsewhere(bare)
    if found is None:
        return None
    info = _info(found, table[found])
    return info if bare == name.strip() else replace(info, max_input_tokens=_LONG_WINDOW)


def cache_prices(info: ModelInfo) -> tuple[float, float]:
    """US dollars per token read from and written to the cache; 0.0 each where input has no price.

    A provider that names no price for the cache has none: reading it costs as much as fresh input.
    """
    fresh = info.input_price or 0.0
    read = fresh if info.cache_read_price is None else info.cache_read_price
    write = fresh if info.cache_write_price is None else info.cache_write_price
    return read, max(write, fresh)


def cache_rates(name: str) -> CacheRates:
    """The prices of a model as multiples of its fresh input, assumed ones where the table has none."""
    info = find_model(name) if name else None
    if info is None or not info.input_price or info.output_price is None:
        return ASSUMED
    read, write = cache_prices(info)
    fresh = info.input_price
    return CacheRates(read / fresh, write / fresh, info.output_price / fresh, name)


def choose_model(conversation: Conversation, override: str = "", profile_model: str = "") -> str:
    """The model for limit, tokenizer and prices: asked for, else last named in the file, else the
    active profile's, else an empty name."""
    named = "" if conversation.model == _NO_MODEL else conversation.model
    return override.strip() or named or profile_model


def suggested_models(conversation: Conversation) -> tuple[str, ...]:
    """What a picker offers: the model of the file first, then well-known ones of the table."""
    named, known = choose_model(conversation), known_models()
    return tuple(dict.fromkeys((named, *known) if named else known))


def model_names() -> tuple[str, ...]:
    """All names of the table."""
    return tuple(_table())


def known_models() -> tuple[str, ...]:
    """Well-known models that the table has."""
    return tuple(name for name in _KNOWN if find_model(name) is not None)


def cheapest_chat(provider: str, window: int) -> str | None:
    """The provider's cheapest chat model that holds ``window`` tokens, as the provider calls it.

    By the price of input and output; models without a price, on their way out or made for something
    else than talk are none. None where the table has no such model.
    """
    found = [
        (info.input_price + info.output_price, info.name)
        for name, row in _table().items()
        if row.get("litellm_provider") == provider and row.get("mode") == "chat" and _talks(name, row)
        for info in [_info(name, row)]
        if info.input_price and info.output_price and (info.max_input_tokens or 0) >= window
    ]
    return min(found)[1].removeprefix(f"{provider}/") if found else None


def _talks(name: str, row: Mapping[str, Json]) -> bool:
    return "deprecation_date" not in row and not any(word in name.lower() for word in _OTHER_WORK)


def window(conversation: Conversation, model: str, setting_limit: int | None) -> Window:
    """The context limit and its source (product.md section 3.3); ``model`` as ``choose_model`` gives it."""
    if setting_limit is not None:
        return Window(setting_limit, "set by context-limit", model)
    if conversation.reported_limit is not None:
        return Window(conversation.reported_limit, "reported in the file", model)
    before = _smallest_automatic(conversation)
    if before is not None and before < _CLAUDE_CODE_WINDOW:
        return Window(_CLAUDE_CODE_WINDOW, f"automatic compaction at {before:,}", model)
    info = find_model(model) if model else None
    if info is not None and info.max_input_tokens is not None:
        return Window(info.max_input_tokens, f"{info.name} in the model table", model)
    missing = f"{model} is not in the model table" if model else "the file names no model"
    return Window(None, f"unknown: {missing}", model)


def _smallest_automatic(conversation: Conversation) -> int | None:
    if conversation.format != "claude_code":
        return None
    found = (one.tokens_before for one in conversation.recorded if one.trigger == "auto")
    return min((tokens for tokens in found if tokens is not None), default=None)


def _elsewhere(name: str) -> str | None:
    key = _key(name)
    return _keys().get(key) or _keys().get(_DATED.sub("", key)) if key else None


def _key(name: str) -> str:
    """What the names of one model at different hosts have in common."""
    bare = _HOSTED.sub("", name.lower().rpartition("/")[2])
    return bare.replace(".", "-").replace("@", "-")


@cache
def _keys() -> Mapping[str, str]:
    """Shortest name of the table by common key; keys without their date where nothing else has them.

    A host that only roughly says its windows counts where no other has the model.
    """
    names = sorted(_table(), key=lambda name: (name.startswith(_ROUGH), len(name)), reverse=True)
    dated = {_key(name): name for name in names}
    return {_DATED.sub("", key): name for key, name in dated.items()} | dated


def _info(name: str, row: Mapping[str, Json]) -> ModelInfo:
    return ModelInfo(
        name=name,
        provider=str(row.get("litellm_provider", "")),
        max_input_tokens=_whole(row.get("max_input_tokens")),
        max_output_tokens=_whole(row.get("max_output_tokens")),
        input_price=_price(row.get("input_cost_per_token")),
        output_price=_price(row.get("output_cost_per_token")),
        cache_read_price=_price(row.get("cache_read_input_token_cost")),
        cache_write_price=_price(row.get("cache_creation_input_token_cost")),
    )


def _whole(value: Json) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _price(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def load_table() -> None:
    """Read the table of models now, where it would be read later: what that takes for a moment is free again
    before a large file is read."""
    _table()


@cache
def _table() -> Mapping[str, Mapping[str, Json]]:
    """The rows of models that talk; empty where litellm or its table is not there."""
    folder = litellm_folder()
    try:
        raw = json.loads((folder / _TABLE).read_bytes()) if folder else {}
    except (OSError, ValueError):
        return {}
    rows = raw.items() if isinstance(raw, dict) else ()
    return {
        name: {field: row[field] for field in _FIELDS if field in row}
        for name, row in rows
        if name != "sample_spec" and isinstance(row, dict) and row.get("mode") in _MODES
    }
