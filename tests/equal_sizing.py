"""Finds the largest result of every strategy within a size, and cuts what is still too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from core.common.errors import CompactionFailed
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.preview.pipeline import StageResults, compose_compaction, density_input
from core.preview.preview import prompts_of
from core.settings.keys import LIMIT, PRESERVE, SUMMARY_TOKENS, TOP_PRESERVE
from core.settings.profile import BUILT_IN
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies import middle_out, one_shot
from core.strategies.base import DensityConfig, Strategy, StrategyContext
from core.strategies.curated_history import curated_indices
from core.strategies.helpers import single_fate
from core.strategies.presets.engine import strategy_of
from core.strategies.presets.preset import Preset
from core.strategies.presets.preset_files import load_all
from core.summarize.summarizer_choice import offline_or
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Block, Message, Text, ToolResponse
from core.transcript.scopes import ALL, history_of_scope
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import find_pairs
from core.transcript.tool_result_content import answer_text
from tests.builders import nearest_valid

LEAST = 20_000  # tokens of a transcript
CUT = 0.70
SUMMARIES = (0.35, 0.60, 0.90)
MOST_SUMMARY = 64_000  # tokens, as the setting has it
UNUSED = 0.85  # of the size; a smaller result is tried with a larger summary
STEPS = 8
ENOUGH = 0.95  # of the size
_TOKENS = ("tokens", "file_tokens", "total_tokens", "human_tokens", "keep_tokens", "minimum")
_SCALED = frozenset((*_TOKENS, "messages", "share", "keep", "keep_turns", "keep_texts", "target"))

Run = Callable[[float], Compaction | None]


@dataclass(frozen=True, slots=True)
class Given:
    """A transcript cut in two: the part to compact, and the part after it."""

    name: str
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    cwd: str
    counter: TokenCounter
    tokens: int

    def count(self, messages: Sequence[Message]) -> int:
        return self.counter.messages(messages)


def given(path: Path) -> Given | None:
    """Cut a transcript at 70 % of its tokens; None for one that is too short, or ends there."""
    conversation = load_conversation(path)
    counter = counter_for("")
    messages = history_of_scope(conversation, ALL).messages
    sums = list(accumulate(map(counter.message, messages), initial=0))
    if sums[-1] < LEAST:
        return None
    place = next(at for at, total in enumerate(sums) if total >= CUT * sums[-1])
    cut = nearest_valid(find_pairs(messages), place)
    if cut in (0, len(messages)):
        return None
    name = f"{path.parent.name}/{path.name}"
    return Given(name, messages[:cut], messages[cut:], conversation.cwd or "/", counter, sums[cut])


def run(strategy: Strategy, file: Given, values: Values) -> Compaction:
    """Run by hand: density where the strategy has it, curation, compress."""
    config = DensityConfig(True, True, False, 3, file.cwd)
    density = strategy.optimize(file.before, config) if strategy.optimize is not None else None
    left = density_input(file.before, density)
    kept = curated_indices([message for _, message in left], Mode.SAFE)
    inputs = tuple(left[index][0] for index in kept)
    messages = tuple(left[index][1] for index in kept)
    prompts = prompts_of(strategy, BUILT_IN, Mode.SAFE)
    limit = values.get(LIMIT)
    context = StrategyContext(
        messages,
        values,
        file.counter.messages,
        file.count(messages),
        None if limit is None else int(limit),
        offline_or(None, file.counter.text),
        next(iter(prompts.values()), ""),
        todos=active_todos(messages) if strategy.requires_llm else "",
        sources=inputs,
        prompts=prompts,
    )
    return compose_compaction(StageResults(file.before, density, inputs), strategy.compress(context))


def knob(strategy: Strategy, file: Given, summary: int) -> Run:
    """Return the strategy as a function of one number from 0 to 1, with which its result grows."""
    layers = SettingLayers().with_session(SUMMARY_TOKENS, min(MOST_SUMMARY, max(1, summary)))
    preset = next((preset for preset in load_all() if preset.name == strategy.name), None)
    if preset is not None:
        return partial(_preset, preset, file, layers)
    return partial(_own, strategy, file, layers)


def asked(strategy: Strategy, file: Given, most: int) -> Compaction | None:
    """Return the largest result within the size."""
    best: Compaction | None = None
    for share in SUMMARIES if strategy.requires_llm else SUMMARIES[:1]:
        found = largest(knob(strategy, file, int(share * most)), file, most)
        if found is not None and (
            best is None or file.count(best.messages) < file.count(found.messages) <= most
        ):
            best = found
        if best is not None and file.count(best.messages) >= UNUSED * most:
            break
    return best


def _own(strategy: Strategy, file: Given, layers: SettingLayers, x: float) -> Compaction:
    if strategy.name in (middle_out.NAME, one_shot.NAME):
        set_to = layers.with_session(PRESERVE, x).with_session(TOP_PRESERVE, x / 2)
    else:
        set_to = layers.with_session(LIMIT, max(1, int(5 * file.tokens * x**2)))
    return run(strategy, file, set_to.resolve())


def _preset(preset: Preset, file: Given, layers: SettingLayers, x: float) -> Compaction:
    own = strategy_of(_scaled(preset, x))
    limit = layers.with_session(LIMIT, max(1, file.tokens))
    return run(own, file, limit.resolve())


def _scaled(value: Any, x: float) -> Any:
    """Return a preset with its numbers scaled."""
    if isinstance(value, tuple):
        return tuple(_scaled(one, x) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    new = {}
    for field in fields(value):
        now = getattr(value, field.name)
        if field.name in _SCALED and isinstance(now, int | float) and now:
            new[field.name] = max(1, int(now * x)) if isinstance(now, int) else now * x
        elif field.name in ("passes", "split", "reinject"):
            new[field.name] = _scaled(now, x)
    return replace(value, **new)


def largest(made: Run, file: Given, most: int) -> Compaction | None:
    """Return the largest result within ``most`` tokens that some steps find, else the smallest; None for
    none."""
    best: tuple[bool, int, Compaction] | None = None
    low, high, former = 0.0, 1.0, -1
    for step in range(STEPS + 1):
        x = 1.0 if step == 0 else (low + high) / 2
        try:
            found = made(x)
        except CompactionFailed:
            found = None
        size = file.count(found.messages) if found is not None else file.tokens
        if found is not None:
            rank = (size <= most, size if size <= most else -size)
            if best is None or rank > best[:2]:
                best = (*rank, found)
        if ENOUGH * most <= size <= most or (size == former and step <= 1):
            break  # large enough, or the number changes nothing
        former = size
        low, high = (x, high) if size <= most else (low, x)
        if low == 1.0:
            break
    return best[2] if best else None


def fitted(found: Compaction, file: Given, most: int) -> Compaction:
    """Return the result without its oldest messages, so that it fits; pairs whole, summaries last."""
    messages = list(found.messages)
    total = file.count(messages)
    if total <= most:
        return found
    pairs = find_pairs(messages)
    gone: set[int] = set()
    cut = -1
    for place in (*_plain(found), *sorted(found.inserted)):
        if total <= most:
            break
        if place in gone:
            continue
        family = _family(place, pairs.partners) - gone
        large = max(family, key=lambda at: file.count((messages[at],)))
        size = sum(file.count((messages[at],)) for at in family)
        short = _shortened(messages[large], file, total - most)
        if size > total - most and total - file.count((messages[large],)) + file.count((short,)) <= most:
            cut = large
            messages[large] = short
            break
        if place in found.inserted:
            continue
        gone |= family
        total -= size
    stay = [place for place in range(len(messages)) if place not in gone]
    lost = {index for place in (*gone, cut) if place >= 0 for index in found.origins[place]}
    why = single_fate(FateKind.DROPPED, "equal size", "Cut off, so that all results have one size.")
    return replace(
        found,
        messages=tuple(messages[place] for place in stay),
        origins=tuple(found.origins[place] for place in stay),
        fates=tuple(why if index in lost else one for index, one in enumerate(found.fates)),
        inserted=frozenset(new for new, place in enumerate(stay) if place in found.inserted),
    )


def _plain(found: Compaction) -> list[int]:
    return [place for place in range(len(found.messages)) if place not in found.inserted]


def _family(place: int, partners: Any) -> set[int]:
    found, waiting = set(), [place]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += partners.get(at, ())
    return found


def _shortened(message: Message, file: Given, over: int) -> Message:
    """Return a message with the end of its texts and results removed, so many tokens shorter."""
    size = file.count((message,))
    share = max(0, size - over) / max(1, size) * 0.95
    return replace(message, blocks=tuple(_cut(block, share) for block in message.blocks))


def _cut(block: Block, share: float) -> Block:
    if isinstance(block, Text):
        return replace(block, text=block.text[: int(len(block.text) * share)] or "…")
    if isinstance(block, ToolResponse):
        text = answer_text(block)
        return replace(block, result=text[: int(len(text) * share)] or "…")
    return block
