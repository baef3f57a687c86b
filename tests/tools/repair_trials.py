"""Damages the samples by script, and says what an independent checker finds before and after the repair."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.common.paths import bundled_samples
from core.formats.registry import load_conversation
from core.lint.lint import default_provider
from core.lint.repair.repair import repair_messages
from core.transcript.model import Block, Message, Speaker, Text, Thinking, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pair, find_pairs
from tests.core.lint.provider_checker import fault

Damage = Callable[[list[Message]], None]
_IN_ORDER = "in order"


@dataclass(frozen=True, slots=True)
class Trial:
    """``before`` and ``after`` are the words of the checker, "" where it finds nothing."""

    before: str
    rules: tuple[str, ...]
    after: str
    is_settled: bool  # a second repair changes nothing


def _middle_pair(history: list[Message]) -> Pair:
    pairs = sorted(find_pairs(history).pairs, key=lambda pair: pair.call)
    return pairs[len(pairs) // 2]


def _set_block(history: list[Message], place: int, number: int, block: Block) -> None:
    blocks = list(history[place].blocks)
    blocks[number] = block
    history[place] = replace(history[place], blocks=tuple(blocks))


def _drop_result(history: list[Message]) -> None:
    del history[_middle_pair(history).response]


def _drop_call(history: list[Message]) -> None:
    del history[_middle_pair(history).call]


def _swap(history: list[Message]) -> None:
    pair = _middle_pair(history)
    history[pair.call], history[pair.response] = history[pair.response], history[pair.call]


def _move_to_the_end(history: list[Message]) -> None:
    history.append(history.pop(_middle_pair(history).response))


def _copy_result(history: list[Message]) -> None:
    place = _middle_pair(history).response
    history.insert(place + 1, history[place])


def _use_id_again(history: list[Message]) -> None:
    first = min(find_pairs(history).pairs, key=lambda pair: pair.call)
    pair = max(find_pairs(history).pairs, key=lambda pair: pair.call)
    call = history[pair.call].blocks[pair.call_block]
    result = history[pair.response].blocks[pair.response_block]
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResponse)
    _set_block(history, pair.call, pair.call_block, replace(call, id=first.id))
    _set_block(history, pair.response, pair.response_block, replace(result, call_id=first.id))


def _person_between(history: list[Message]) -> None:
    words = Message(speaker=Speaker.HUMAN, blocks=(Text("Wait."),))
    history[_middle_pair(history).response : _middle_pair(history).response] = [
        words,
        Message(speaker=Speaker.AI, blocks=(Text("I wait."),)),
    ]


def _blank_text(history: list[Message]) -> None:
    place = _middle_pair(history).call
    history[place] = replace(history[place], blocks=(Text("  "), *history[place].blocks))


def _unsigned_thinking(history: list[Message]) -> None:
    place = _middle_pair(history).call
    history[place] = replace(history[place], blocks=(Thinking("I look."), *history[place].blocks))


def _model_first(history: list[Message]) -> None:
    while history[0].speaker is not Speaker.AI:
        del history[0]


DAMAGES: dict[str, Damage] = {
    "a result is missing": _drop_result,
    "a call is missing": _drop_call,
    "a result stands in front of its call": _swap,
    "a result stands at the very end": _move_to_the_end,
    "a result stands there twice": _copy_result,
    "the id of the first call is that of the last, too": _use_id_again,
    "words stand between a call and its result": _person_between,
    "a blank text stands in front of a call": _blank_text,
    "thinking has no signature": _unsigned_thinking,
    "the model speaks first": _model_first,
}


def trial(history: list[Message], provider: str, damage: Damage) -> Trial:
    """Damage a history that is in order, and repair it."""
    damaged = list(history)
    damage(damaged)
    repair = repair_messages(damaged, provider)
    mended = repair.compaction.messages
    rules = tuple(dict.fromkeys(change.rule for change in repair.changes))
    settled = not repair_messages(mended, provider).changes
    return Trial(fault(provider, damaged), rules, fault(provider, mended), settled)


def histories(paths: Iterator[Path] | None = None) -> Iterator[tuple[list[Message], str]]:
    """Yield the histories of files, of the samples by default, repaired once, with their provider."""
    for path in paths or (sample.path for sample in bundled_samples()):
        conversation = load_conversation(path)
        provider = default_provider(conversation.format, conversation.model)
        history = list(repair_messages(conversation.messages, provider).compaction.messages)
        if len({pair.call for pair in find_pairs(history).pairs}) > 2 and not fault(provider, history):
            yield history, provider


def trial_rows() -> list[tuple[str, str, str, str]]:
    """Return a row for each damage: what the checker found, the rules that mended it, what it finds then."""
    sessions = [*histories()]
    rows = []
    for name, damage in DAMAGES.items():
        trials = [trial(history, provider, damage) for history, provider in sessions]
        found = Counter(one.before or _IN_ORDER for one in trials)
        left = Counter(one.after or _IN_ORDER for one in trials)
        rules = dict.fromkeys(rule for one in trials for rule in one.rules)
        rows.append((name, _counts(found), ", ".join(rules), _counts(left)))
    return rows


def _counts(words: Counter[str]) -> str:
    return ", ".join(f"{count} × {word}" for word, count in words.most_common())
