"""Finds the largest result of every strategy within a size, and cuts what is still too large."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from core.common.errors import CompactionFailed
from core.formats.registry import load_conversation
from core.losses.needed_later import NO_SYSTEM, continuation_cut
from core.preview.strategy_input import (
    StageResults,
    compose_compaction,
    density_input,
    strategy_prompts,
)
from core.settings.profile import BUILT_IN
from core.settings.schema import (
    LIMIT,
    PRESERVE,
    SUMMARY_TOKENS,
    TOP_PRESERVE,
    Mode,
    Values,
)
from core.settings_store.layers import SettingLayers
from core.strategies import excerpt, middle_out, one_shot
from core.strategies.base import DensitySettings, Strategy, StrategyContext
from core.strategies.draft import curated_indices
from core.strategies.helpers import single_fate
from core.strategies.presets.engine import FOLDER, load_preset, preset_strategy
from core.strategies.presets.preset import Preset
from core.summarize.summariser_choice import summariser_factory
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Block, Message, SystemPart, Text, ToolResponse
from core.transcript.scopes import ALL, history_of_scope
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import answer_text, find_pairs

MIN_TOKENS = 20_000  # tokens of a transcript
SUMMARY_SHARES = (0.35, 0.60, 0.90)
MAX_SUMMARY_TOKENS = 64_000  # tokens, as the setting has it
MIN_USED_SHARE = 0.85  # of the size; a smaller result is tried with a larger summary
STEPS = 8
ACCEPTED_SHARE = 0.95  # of the size
_TOKENS = (
    "tokens",
    "file_tokens",
    "total_tokens",
    "human_tokens",
    "keep_tokens",
    "minimum",
)
_SCALED = frozenset(
    (*_TOKENS, "messages", "share", "keep", "keep_turns", "keep_texts", "target")
)

Run = Callable[[float], Compaction | None]


@dataclass(frozen=True, slots=True)
class SplitTranscript:
    """A transcript cut in two: the part to compact, and the part after it."""

    name: str
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    cwd: str
    counter: TokenCounter
    tokens: int
    system: SystemPart = NO_SYSTEM

    def count(self, messages: Sequence[Message]) -> int:
        return self.counter.messages(messages)


def load_split(path: Path) -> SplitTranscript | None:
    """Cut a transcript at 70 % of its tokens; None for one that is too short, or ends there."""
    conversation = load_conversation(path)
    counter = counter_for("")
    messages = history_of_scope(conversation, ALL).messages
    sizes = list(map(counter.message, messages))
    cut = continuation_cut(messages, sizes) if sum(sizes) >= MIN_TOKENS else 0
    if cut in (0, len(messages)):
        return None
    name = f"{path.parent.name}/{path.name}"
    size, cwd = sum(sizes[:cut]), conversation.cwd or "/"
    return SplitTranscript(
        name,
        messages[:cut],
        messages[cut:],
        cwd,
        counter,
        size,
        conversation.system,
    )


def run(strategy: Strategy, file: SplitTranscript, values: Values) -> Compaction:
    """Run by hand: density where the strategy has it, curation, compress."""
    config = DensitySettings(True, True, False, 3, file.cwd)
    density = (
        strategy.optimize(file.before, config)
        if strategy.optimize is not None
        else None
    )
    remaining = density_input(file.before, density)
    kept_indexes = curated_indices([message for _, message in remaining], Mode.SAFE)
    inputs = tuple(remaining[index][0] for index in kept_indexes)
    messages = tuple(remaining[index][1] for index in kept_indexes)
    prompts = strategy_prompts(strategy, BUILT_IN, Mode.SAFE)
    limit = values.get(LIMIT)
    context = StrategyContext(
        history=messages,
        values=values,
        estimate_tokens=file.counter.messages,
        current_token_count=file.count(messages),
        limit=None if limit is None else int(limit),
        summariser=summariser_factory(None, file.counter.text),
        prompt=next(iter(prompts.values()), ""),
        todos=active_todos(messages) if strategy.requires_llm else "",
        sources=inputs,
        prompts=prompts,
    )
    return compose_compaction(
        StageResults(file.before, density, inputs), strategy.compress(context)
    )


def scaled_run(strategy: Strategy, file: SplitTranscript, summary: int) -> Run:
    """Return the strategy as a function of one number from 0 to 1, with which its result grows."""
    layers = SettingLayers().with_session(
        SUMMARY_TOKENS, min(MAX_SUMMARY_TOKENS, max(1, summary))
    )
    if strategy.emulates is not None:
        return partial(
            _run_preset, load_preset(FOLDER / f"{strategy.name}.toml"), file, layers
        )
    return partial(_run_strategy, strategy, file, layers)


def largest_for_budget(
    strategy: Strategy, file: SplitTranscript, max_tokens: int
) -> Compaction | None:
    if strategy.name == excerpt.NAME:  # it meets its target to the token
        return _at_target(strategy, file, max_tokens)
    best: Compaction | None = None
    for share in SUMMARY_SHARES if strategy.requires_llm else SUMMARY_SHARES[:1]:
        candidate = largest(
            scaled_run(strategy, file, int(share * max_tokens)), file, max_tokens
        )
        if candidate is not None and (
            best is None
            or file.count(best.messages) < file.count(candidate.messages) <= max_tokens
        ):
            best = candidate
        if (
            best is not None
            and file.count(best.messages) >= MIN_USED_SHARE * max_tokens
        ):
            break
    return best


def _at_target(
    strategy: Strategy, file: SplitTranscript, max_tokens: int
) -> Compaction:
    """Run with the size as target; where the file counts more than the messages, with less."""
    target, found = max_tokens, None
    while found is None or file.count(found.messages) > max_tokens:
        limit = int(target / excerpt.TARGET)
        found = run(
            strategy, file, SettingLayers().with_session(LIMIT, limit).resolve()
        )
        target -= max(1, file.count(found.messages) - max_tokens)
    return found


def _run_strategy(
    strategy: Strategy, file: SplitTranscript, layers: SettingLayers, x: float
) -> Compaction:
    if strategy.name in (middle_out.NAME, one_shot.NAME):
        changed_layers = layers.with_session(PRESERVE, x).with_session(
            TOP_PRESERVE, x / 2
        )
    else:
        changed_layers = layers.with_session(LIMIT, max(1, int(5 * file.tokens * x**2)))
    return run(strategy, file, changed_layers.resolve())


def _run_preset(
    preset: Preset, file: SplitTranscript, layers: SettingLayers, x: float
) -> Compaction:
    scaled_strategy = preset_strategy(_scaled(preset, x))
    limit = layers.with_session(LIMIT, max(1, file.tokens))
    return run(scaled_strategy, file, limit.resolve())


def _scaled(value: Any, x: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(one, x) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    new = {}
    for field in fields(value):
        field_value = getattr(value, field.name)
        if (
            field.name in _SCALED
            and isinstance(field_value, int | float)
            and field_value
        ):
            new[field.name] = (
                max(1, int(field_value * x))
                if isinstance(field_value, int)
                else field_value * x
            )
        elif field.name in ("passes", "split", "reinject"):
            new[field.name] = _scaled(field_value, x)
    return replace(value, **new)


def largest(run_at: Run, file: SplitTranscript, max_tokens: int) -> Compaction | None:
    """Return the largest result within ``max_tokens`` tokens that some steps find, else the
    smallest; None for none."""
    best: tuple[bool, int, Compaction] | None = None
    low, high, previous_size = 0.0, 1.0, -1
    for step in range(STEPS + 1):
        x = 1.0 if step == 0 else (low + high) / 2
        try:
            candidate = run_at(x)
        except CompactionFailed:
            candidate = None
        size = file.count(candidate.messages) if candidate is not None else file.tokens
        if candidate is not None:
            rank = (size <= max_tokens, size if size <= max_tokens else -size)
            if best is None or rank > best[:2]:
                best = (*rank, candidate)
        if ACCEPTED_SHARE * max_tokens <= size <= max_tokens or (
            size == previous_size and step <= 1
        ):
            break  # large enough, or the number changes nothing
        previous_size = size
        low, high = (x, high) if size <= max_tokens else (low, x)
        if low == 1.0:
            break
    return best[2] if best else None


def cut_to_fit(
    compaction: Compaction, file: SplitTranscript, max_tokens: int
) -> Compaction:
    """Return the result without its oldest messages, so that it fits; pairs whole, summaries
    last."""
    messages = list(compaction.messages)
    total = file.count(messages)
    if total <= max_tokens:
        return compaction
    pairs = find_pairs(messages)
    removed: set[int] = set()
    cut = -1
    copied = (
        place for place in range(len(messages)) if place not in compaction.inserted
    )
    for place in (*copied, *sorted(compaction.inserted)):
        if total <= max_tokens:
            break
        if place in removed:
            continue
        linked = _linked_messages(place, pairs.partners) - removed
        largest_index = max(linked, key=lambda at: file.count((messages[at],)))
        size = sum(file.count((messages[at],)) for at in linked)
        shortened = _shortened(messages[largest_index], file, total - max_tokens)
        if (
            size > total - max_tokens
            and total
            - file.count((messages[largest_index],))
            + file.count((shortened,))
            <= max_tokens
        ):
            cut = largest_index
            messages[largest_index] = shortened
            break
        if place in compaction.inserted:
            continue
        removed |= linked
        total -= size
    stay = [place for place in range(len(messages)) if place not in removed]
    lost = {
        index
        for place in (*removed, cut)
        if place >= 0
        for index in compaction.origins[place]
    }
    dropped_fate = single_fate(
        FateKind.DROPPED, "equal size", "Cut off, so that all results have one size."
    )
    return replace(
        compaction,
        messages=tuple(messages[place] for place in stay),
        origins=tuple(compaction.origins[place] for place in stay),
        fates=tuple(
            dropped_fate if index in lost else fate
            for index, fate in enumerate(compaction.fates)
        ),
        inserted=frozenset(
            new for new, place in enumerate(stay) if place in compaction.inserted
        ),
    )


def _linked_messages(place: int, partners: Any) -> set[int]:
    linked, pending = set(), [place]
    while pending:
        current = pending.pop()
        if current not in linked:
            linked.add(current)
            pending += partners.get(current, ())
    return linked


def _shortened(message: Message, file: SplitTranscript, excess: int) -> Message:
    size = file.count((message,))
    share = max(0, size - excess) / max(1, size) * 0.95
    return replace(
        message, blocks=tuple(_cut(block, share) for block in message.blocks)
    )


def _cut(block: Block, share: float) -> Block:
    if isinstance(block, Text):
        return replace(block, text=block.text[: int(len(block.text) * share)] or "…")
    if isinstance(block, ToolResponse):
        text = answer_text(block)
        return replace(block, result=text[: int(len(text) * share)] or "…")
    return block
