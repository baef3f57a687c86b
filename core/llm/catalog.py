"""Context limits and prices of models, from the table of models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from core.common.json_value import Json
from core.llm.model_table import table_rows
from core.llm.prices import TokenRates
from core.llm.prompt_cache import ASSUMED, CacheRates
from core.settings.keys import AS_REPORTED, HOUR
from core.transcript.model import Conversation

_NO_MODEL = "<synthetic>"  # Claude Code's name for messages that no model wrote
_LONG = re.compile(r"\[1m\]$", re.IGNORECASE)  # Claude Code's mark for a window of a million tokens
_LONG_WINDOW = 1_000_000
_DATED = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d)$")
_HOSTED = re.compile(r"^(?:[a-z-]+\.)+(?=[a-z])|-v\d+(?::\d+)?$|:.*$")  # vendor in front, release behind
_CLAUDE_CODE_WINDOW = 200_000
_ROUGH = "gmi/"  # this host's rows give 409,600 for whatever has a large window, Claude Sonnet 4 as GPT-5

_OTHER_WORK = ("guard", "embed", "audio", "tts", "realtime", "moderation", "ocr", "transcribe", "search")

_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_VERSION = re.compile(r"(?<![\d.])\d{1,2}(?:[.-]\d{1,2})?(?![\d.a-z])")
_READ, _WRITE = "cache_read_input_token_cost", "cache_creation_input_token_cost"
_SUGGESTED_PROVIDERS = ("anthropic", "openai", "gemini")
_SUGGESTED = 4  # models of each provider


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """A model's context limit in tokens, None if unknown; ``source`` says where it comes from."""

    limit: int | None
    source: str
    model: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One row of the table: limits in tokens, prices in US dollars per token; None where not stated.

    ``rates`` are all prices of the model, None where input or output has none.
    """

    name: str
    provider: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    input_price: float | None
    output_price: float | None
    rates: TokenRates | None


def find_model(name: str) -> ModelInfo | None:
    """The row of a model: as named, else without provider prefixes, else the same model elsewhere.

    A model that its maker has withdrawn is often still listed at a host, under a longer name.
    """
    table = table_rows()
    bare = _LONG.sub("", name.strip())
    parts = bare.split("/")
    candidates = ["/".join(parts[start:]) for start in range(len(parts))]
    found = next((one for one in candidates if one in table), None) or _elsewhere(bare)
    if found is None:
        return None
    info = _info(found, table[found])
    return info if bare == name.strip() else replace(info, max_input_tokens=_LONG_WINDOW)


def rates_of(name: str, hour: bool = False) -> TokenRates | None:
    """The prices of a model, None where the table has none; ``hour``: its cache is written for an hour."""
    info = find_model(name) if name else None
    if info is None or info.rates is None:
        return None
    named = replace(info.rates, model=name)
    return named.for_an_hour() if hour else named


def cache_rates(name: str, hour: bool = False) -> CacheRates:
    """The prices of a model as multiples of its fresh input, assumed ones where the table has none."""
    rates = rates_of(name, hour)
    if rates is None or not rates.input:
        return ASSUMED
    tiers = tuple((above, _multiples(one, rates.input)) for above, one in rates.tiers)
    return replace(_multiples(rates, rates.input), model=name, tiers=tiers)


def _multiples(rates: TokenRates, unit: float) -> CacheRates:
    return CacheRates(rates.read / unit, rates.write / unit, rates.output / unit)


def caches_for_an_hour(conversation: Conversation, lifetime: str) -> bool:
    """Whether writes to the prompt cache count as those of a cache that lives an hour; ``lifetime`` is the
    value of ``cache-lifetime``."""
    return lifetime == HOUR or (lifetime == AS_REPORTED and conversation.hour_cache)


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
    return tuple(table_rows())


def known_models() -> tuple[str, ...]:
    """The newest models of the providers whose agents are most used, as the table of today has them."""
    return tuple(name for provider in _SUGGESTED_PROVIDERS for name in newest_models(provider)[:_SUGGESTED])


def newest_models(provider: str) -> tuple[str, ...]:
    """The newest chat model of each family of a provider, as transcripts call it, the newest first.

    A family is a name without its version ("claude-opus", "gpt-mini"); of families that are equally new the
    one with the shortest name comes first. Models without a version or price, on their way out, dated,
    previews or made for something else than talk are none.
    """
    families: dict[str, tuple[tuple[int, ...], int, str]] = {}
    for name, row in table_rows().items():
        bare = name.removeprefix(f"{provider}/")
        version = _VERSION.search(bare)
        if row.get("litellm_provider") != provider or not version or not _is_offered(bare, row):
            continue
        number = tuple(int(part) for part in re.split("[.-]", version[0]))
        family = bare[: version.start()] + bare[version.end() :]
        families[family] = max(families.get(family, ((), 0, "")), (number, -len(bare), bare))
    return tuple(name for _, _, name in sorted(families.values(), reverse=True))


def _is_offered(name: str, row: Mapping[str, Json]) -> bool:
    is_special = ":" in name or "/" in name or "preview" in name or _DATED.search(name) is not None
    is_sold = bool(_price(row.get("input_cost_per_token"))) and row.get("mode") in ("chat", "responses")
    return is_sold and not is_special and _talks(name, row)


def cheapest_chat(provider: str, window: int) -> str | None:
    """The provider's cheapest chat model that holds ``context_window`` tokens, as the provider calls it.

    By the price of input and output; models without a price, on their way out or made for something
    else than talk are none. None where the table has no such model.
    """
    found = [
        (info.input_price + info.output_price, info.name)
        for name, row in table_rows().items()
        if row.get("litellm_provider") == provider and row.get("mode") == "chat" and _talks(name, row)
        for info in [_info(name, row)]
        if info.input_price and info.output_price and (info.max_input_tokens or 0) >= window
    ]
    return min(found)[1].removeprefix(f"{provider}/") if found else None


def _talks(name: str, row: Mapping[str, Json]) -> bool:
    return "deprecation_date" not in row and not any(word in name.lower() for word in _OTHER_WORK)


def context_window(conversation: Conversation, model: str, setting_limit: int | None) -> ContextWindow:
    """The context limit and its source (product.md section 3.3); ``model`` as ``choose_model`` gives it."""
    if setting_limit is not None:
        return ContextWindow(setting_limit, "set by context-limit", model)
    if conversation.reported_limit is not None:
        return ContextWindow(conversation.reported_limit, "reported in the file", model)
    before = _smallest_automatic(conversation)
    if before is not None and before < _CLAUDE_CODE_WINDOW:
        return ContextWindow(_CLAUDE_CODE_WINDOW, f"automatic compaction at {before:,}", model)
    info = find_model(model) if model else None
    if info is not None and info.max_input_tokens is not None:
        return ContextWindow(info.max_input_tokens, f"{info.name} in the model table", model)
    missing = f"{model} is not in the model table" if model else "the file names no model"
    return ContextWindow(None, f"unknown: {missing}", model)


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
    names = sorted(table_rows(), key=lambda name: (name.startswith(_ROUGH), len(name)), reverse=True)
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
        rates=_rates(name, row),
    )


def _rates(name: str, row: Mapping[str, Json]) -> TokenRates | None:
    """All prices of a row. A provider that names no price for the cache has none: reading it costs as much
    as fresh input. What a tier does not name is dearer there as its input is."""
    fresh, output = _price(row.get("input_cost_per_token")), _price(row.get("output_cost_per_token"))
    if fresh is None or output is None:
        return None
    read = _price(row.get(_READ))
    write = max(_price(row.get(_WRITE)) or fresh, fresh)
    hour = max(_price(row.get(f"{_WRITE}_above_1hr")) or write, write)
    base = TokenRates(name, fresh, output, fresh if read is None else read, write, write_hour=hour)
    above = sorted(int(found[1]) for field in row if (found := _TIER.fullmatch(field)))
    tiers = ((thousands * 1000, _tier(base, row, f"_above_{thousands}k_tokens")) for thousands in above)
    return replace(base, tiers=tuple(tiers))


def _tier(base: TokenRates, row: Mapping[str, Json], suffix: str) -> TokenRates:
    fresh = _price(row[f"input_cost_per_token{suffix}"])
    fresh = base.input if fresh is None else fresh
    dearer = fresh / base.input if base.input else 1.0
    output, read, write, hour = (
        _price(row.get(f"{field}{suffix}"))
        for field in ("output_cost_per_token", _READ, _WRITE, f"{_WRITE}_above_1hr")
    )
    write = max(base.write * dearer if write is None else write, fresh)
    return TokenRates(
        base.model,
        fresh,
        base.output * dearer if output is None else output,
        base.read * dearer if read is None else read,
        write,
        write_hour=max(base.write_hour * dearer if hour is None else hour, write),
    )


def _whole(value: Json) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _price(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def loadtable_rows() -> None:
    """Read the table of models now, where it would be read later: what that takes for a moment is free again
    before a large file is read."""
    table_rows()
