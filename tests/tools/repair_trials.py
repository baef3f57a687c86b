"""Damages the samples by script, and says what an independent checker finds before and after the
repair."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from core.app.services.repair import RepairPlan, plan_repair
from core.common.errors import InputError
from core.common.paths import SAMPLES, bundled_samples
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.lint.lint import default_provider
from core.lint.repair import repair_messages
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import ALL, History, history_of_scope
from core.transcript.tool_pairs import Pair, find_pairs
from tests.core.lint.provider_checker import fault
from tests.support.sampling import sampled

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
    history[pair.call], history[pair.response] = (
        history[pair.response],
        history[pair.call],
    )


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
    _set_block(
        history, pair.response, pair.response_block, replace(result, call_id=first.id)
    )


def _person_between(history: list[Message]) -> None:
    words = Message(speaker=Speaker.HUMAN, blocks=(Text("Wait."),))
    history[_middle_pair(history).response : _middle_pair(history).response] = [
        words,
        Message(speaker=Speaker.AI, blocks=(Text("I wait."),)),
    ]


def _blank_text(history: list[Message]) -> None:
    place = _middle_pair(history).call
    history[place] = replace(
        history[place], blocks=(Text("  "), *history[place].blocks)
    )


def _unsigned_thinking(history: list[Message]) -> None:
    place = _middle_pair(history).call
    history[place] = replace(
        history[place], blocks=(Thinking("I look."), *history[place].blocks)
    )


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


def histories(
    paths: Iterator[Path] | None = None,
) -> Iterator[tuple[list[Message], str]]:
    """Yield the histories of files, of the samples by default, repaired once, with their
    provider."""
    for path in paths or (sample.path for sample in bundled_samples()):
        conversation = load_conversation(path)
        provider = default_provider(conversation.format, conversation.model)
        history = list(
            repair_messages(conversation.messages, provider).compaction.messages
        )
        if len({pair.call for pair in find_pairs(history).pairs}) > 2 and not fault(
            provider, history
        ):
            yield history, provider


def _counts(words: Counter[str]) -> str:
    return ", ".join(f"{count} × {word}" for word, count in words.most_common())


WRITTEN_FORMATS = (
    *(
        "claude_code",
        "codex_rollout",
        "openai_chat",
        "anthropic_messages",
        "openai_responses",
    ),
    *("gemini", "gemini_cli", "llxprt", "pi_agent", "opencode"),
)
"""The formats of files that the trials damage; Foldline writes none of Copilot CLI."""


def file_trial(
    source: Conversation, format_name: str, damage: Damage, folder: Path
) -> Trial:
    """Write a damaged history in a format, repair that file, and read both as the agent would."""
    broken, mended, again = folder / "broken", folder / "mended", folder / "again"
    damaged = list(source.messages)
    damage(damaged)
    history = History(ALL, tuple(damaged), (-1,) * len(damaged))
    content = ExportInput(
        conversation=replace(source, messages=history.messages), history=history
    )
    written = export_history(content, format_name)
    broken.write_bytes(written.data)
    before, plan = _repaired(broken, mended)
    after, second = _repaired(mended, again)
    rules = tuple(dict.fromkeys(change.rule for change in plan.changes))
    is_settled = not second.changes and mended.read_bytes() == again.read_bytes()
    return Trial(before, rules, after, is_settled)


def _repaired(path: Path, target: Path) -> tuple[str, RepairPlan]:
    """Repair a file as the command does; return the checker's fault of it, and the plan."""
    conversation = load_conversation(path)
    plan = plan_repair(
        conversation, history_of_scope(conversation, ALL), conversation.format
    )
    target.write_bytes(export_history(plan.content, conversation.format).data)
    return fault(plan.provider, conversation.messages), plan


def sample_in_order() -> Conversation:
    """Return the shortest sample, mended once."""
    conversation = load_conversation(SAMPLES / "tide-tables.jsonl")
    provider = default_provider(conversation.format, conversation.model)
    messages = repair_messages(conversation.messages, provider).compaction.messages
    return replace(conversation, messages=messages)


_LINES = sampled(200, 60)
"""First lines of a JSONL file that are damaged: each damage writes, repairs and reads all of them
several times."""


def smallest_in_order(folder: Path, copies: Path) -> Conversation | None:
    """Return the beginning of the smallest session of a folder that has three calls and more there,
    mended once; None without one. ``copies`` is the folder for these beginnings."""
    for path in sorted(folder.glob("*.*"), key=lambda one: one.stat().st_size):
        try:
            conversation = load_conversation(_beginning(path, copies))
        except InputError:
            continue
        provider = default_provider(conversation.format, conversation.model)
        messages = repair_messages(conversation.messages, provider).compaction.messages
        if len(find_pairs(messages).pairs) > 2:
            return replace(conversation, messages=messages, recorded=())
    return None


def _beginning(path: Path, copies: Path) -> Path:
    if path.suffix != ".jsonl":
        return path
    copy = copies / path.name
    lines = path.read_bytes().splitlines(keepends=True)
    copy.write_bytes(b"".join(lines[:_LINES]))
    return copy


def occurs(damage: str, format_name: str) -> bool:
    """Return whether a file of a format can hold the damage: opencode keeps call and result in one
    part."""
    return format_name != "opencode" or DAMAGES[damage] is not _swap


def trial_rows() -> list[tuple[str, str, str, str]]:
    """Return a row for each damage to a sample written in each format: what the checker found in
    the file, the rules that mended it, what it finds in the mended file."""
    source = sample_in_order()
    rows = []
    with TemporaryDirectory() as folder:
        for name, damage in DAMAGES.items():
            trials = [
                file_trial(source, one, damage, Path(folder))
                for one in WRITTEN_FORMATS
                if occurs(name, one)
            ]
            found = Counter(one.before or _IN_ORDER for one in trials)
            left = Counter(one.after or _IN_ORDER for one in trials)
            rules = dict.fromkeys(rule for one in trials for rule in one.rules)
            rows.append((name, _counts(found), ", ".join(rules), _counts(left)))
    return rows
