"""Real transcripts: their counts and records; each is read as what it is, or refused in one
sentence."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common.open_document import document_lines, open_document
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    tool_calls,
    tool_responses,
)
from core.transcript.tool_pairs import find_pairs
from tests.conftest import SHARED
from tests.core.formats.exporting import corpus_files
from tests.core.formats.small_files import SMALL, load_conversations, saved
from tests.support.sampling import sampled

COUNTS = json.loads(
    Path(__file__)
    .with_name("recorded")
    .joinpath("files", "corpus_counts.json")
    .read_text()
)
"""By file: format, conversations (the first 30); in all of them messages, calls, results,
unanswered calls, results without a call, recorded compactions; reported requests of the first. They
agreed with independent counts of the raw JSON."""
LOGS = (
    "claude_code",
    "codex_rollout",
    "cline_ui",
    "copilot_cli",
    "goose",
    "openhands",
    "pi_agent",
)
OTHER_WAYS = ("gemini_cli", "vscode_chat_replay")
"""A record of a log that was taken back, and the logs of a prompt, are counted beside their
line."""


def counts(conversation: Conversation) -> tuple[int, int, int, int, int]:
    """Return the numbers of messages, calls, results, unanswered calls, and results of no call."""
    messages = conversation.messages
    pairs = find_pairs(messages)
    calls = sum(1 for message in messages for _ in tool_calls(message))
    results = sum(1 for message in messages for _ in tool_responses(message))
    return len(messages), calls, results, len(pairs.unanswered), len(pairs.orphans)


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_has_the_counts_of_its_raw_json(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "something.txt"  # the format is found by content
    elsewhere.write_bytes((corpus / name).read_bytes())
    found = load_conversations(elsewhere, 30)
    totals = map(sum, zip(*map(counts, found), strict=True))
    recorded, usage = sum(len(one.recorded) for one in found), found[0].usage
    assert [found[0].format, len(found), *totals, recorded, len(usage)] == COUNTS[name]
    assert [one.message_index for one in usage] == sorted(
        {one.message_index for one in usage}
    )


def _assert_adds_up(conversation: Conversation) -> None:
    """Every record became a message, a recorded compaction, the system part, or was counted as
    skipped."""
    report = conversation.report
    summaries = [message for one in conversation.recorded for message in one.summary]
    sources = [
        source
        for message in (*conversation.messages, *summaries)
        for source in message.sources
    ]
    sources += [one.source for one in conversation.recorded if one.source is not None]
    used = {(source.start, source.end) for source in sources}
    used |= {(start, end) for _, start, end in conversation.layout.get("system", ())}
    assert report.records == len(used) + sum(count for _, count in report.skipped)
    assert report.skipped_from.keys() == dict(report.skipped).keys()


@pytest.mark.parametrize("name", [name for name in SMALL if name not in OTHER_WAYS])
def test_what_is_no_message_is_counted(tmp_path: Path, name: str) -> None:
    _assert_adds_up(load_conversation(saved(tmp_path, SMALL[name])))


@pytest.mark.parametrize("path", corpus_files(*LOGS))
def test_what_is_no_message_of_a_real_file_is_counted(path: Path) -> None:
    _assert_adds_up(load_conversation(path))


def test_every_golden_history_opens(golden: Path) -> None:
    for path in sorted((golden / "llxprt").glob("*.json")):
        expected = json.loads(path.read_text("utf-8"))["history"]
        conversation = load_conversation(path)
        assert (conversation.format, len(conversation.messages)) == (
            "llxprt",
            len(expected),
        )


def _sent_texts(records: list[Any]) -> list[str]:
    contents = [record["content"] for record in records]
    return [
        one if isinstance(one, str) else "\n".join(part["text"] for part in one)
        for one in contents
    ]


@pytest.mark.parametrize("path", corpus_files("swe_agent"))
def test_what_the_history_processors_of_swe_agent_took_out(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    sent = [
        _sent_texts(step.get("query") or step.get("messages") or [])
        for step in value["trajectory"]
    ]
    whole = _sent_texts(value["history"])
    elided = [{i for i, text in enumerate(one) if text != whole[i]} for one in sent]
    growing = [
        now
        for before, now in zip([set(), *elided], elided, strict=False)
        if now - before
    ]
    recorded = load_conversation(path).recorded
    new = [
        {i + 1 for i, one in enumerate(one.context_after) if isinstance(one, Message)}
        for one in recorded
    ]
    assert new == growing


PLACES = ("corpus", "faults", "stores")
_LINES = (
    "claude_code",
    "codex_rollout",
    "copilot_cli",
    "pi_agent",
    "gemini_cli",
    "openhands",
)
_FEWEST = 8  # lines of which one more or less decides nothing
_FEW = 3  # messages of a file of which one that lost its words decides nothing


def files() -> list[Path]:
    found = [
        path
        for place in PLACES
        for path in sorted((SHARED / place).rglob("*"))
        if path.is_file()
    ]
    if not found:
        pytest.skip("needs the transcripts in ../shared")
    return found


def is_lost(conversation: Conversation) -> bool:
    """Return whether more than half of the messages have no known speaker or no content."""
    lost = 0
    for message in conversation.messages:
        said = [
            one
            for one in message.blocks
            if not isinstance(one, Text | Thinking) or one.text or one.extra
        ]
        closed = [
            one
            for one in said
            if not isinstance(one, Opaque) or "encrypted" in str(one.raw)
        ]
        lost += message.speaker is Speaker.UNKNOWN or not closed
    return 2 * lost > len(conversation.messages)


def opened(path: Path) -> Conversation | None:
    try:
        return load_conversation(path)
    except InputError as error:
        refused = error
    assert refused.exit_code == 2
    assert refused.message.endswith(".")
    assert refused.hint
    return None


def test_no_file_is_misread(print_at_end: Callable[[str], None]) -> None:
    count: Counter[str] = Counter()
    messages: Counter[str] = Counter()
    misread = []
    for path in files():
        conversation = opened(path)
        name = conversation.format if conversation else "refused"
        count[name] += 1
        if conversation:
            messages[name] += len(conversation.messages)
            misread += [path] if is_lost(conversation) else []
    rows = [
        f"{name:20} {number:5,} {messages[name]:8,}"
        for name, number in count.most_common()
    ]
    print_at_end("\n".join([f"{'format':20} {'files':>5} {'messages':>8}", *rows]))
    assert misread == []


def mutations(
    sources: dict[Path, list[bytes]], formats: dict[Path, str], chance: random.Random
) -> Iterator[tuple[Path, list[bytes]]]:
    """Yield files with one record of another format in front, inside or behind, without a head, or
    cut."""
    for path, own in sources.items():
        foreign = sorted(other for other in sources if formats[other] != formats[path])
        stray, place = (
            chance.choice(sources[chance.choice(foreign)]),
            chance.randrange(len(own)),
        )
        yield path, [stray, *own]
        yield path, [*own, stray]
        yield path, [*own[:place], stray, *own[place:]]
        for part in (len(own) // 3, len(own) // 2):
            yield path, own[part:]
            yield path, own[:part]


def test_a_record_more_or_a_part_less_changes_no_reader(tmp_path: Path) -> None:
    sources = {}
    for path in files():
        if (
            path.suffix == ".jsonl"
            and path.parent.name != "broken"
            and (found := opened(path))
        ):
            own = [line.data for line in document_lines(open_document(path))]
            if (
                found.format in _LINES
                and len(own) >= _FEWEST
                and len(found.messages) > _FEW
            ):
                sources[path] = own
    formats = {path: load_conversation(path).format for path in sources}
    mutated = tmp_path / "mutated.jsonl"
    every = mutations(sources, formats, random.Random(14))
    # Each file has seven changes, so that every other one is each change of every other file.
    for path, changed in islice(every, 0, None, sampled(1, 2)):
        mutated.write_bytes(b"\n".join(changed) + b"\n")
        conversation = opened(mutated)
        assert conversation is None or not is_lost(conversation), path
        assert conversation is None or conversation.format == formats[path], path
        if len(changed) > len(sources[path]):
            assert conversation is not None, path
