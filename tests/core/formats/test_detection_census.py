"""Every real file at hand is read as what it is, or refused in one sentence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.formats.common.open_document import document_lines, open_document
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Opaque, Speaker, Text, Thinking
from tests.conftest import SHARED

PLACES = ("corpus", "faults", "stores")
_LINES = ("claude_code", "codex_rollout", "copilot_cli", "pi_agent", "gemini_cli", "openhands")
_FEWEST = 8  # lines of which one more or less decides nothing


def files() -> list[Path]:
    found = [path for place in PLACES for path in sorted((SHARED / place).rglob("*")) if path.is_file()]
    if not found:
        pytest.skip("needs the transcripts in ../shared")
    return found


def is_lost(conversation: Conversation) -> bool:
    """Return whether more than half of the messages have no known speaker or no content."""
    lost = 0
    for message in conversation.messages:
        said = [
            block
            for block in message.blocks
            if not isinstance(block, Text | Thinking) or block.text or block.extra
        ]
        closed = [block for block in said if not isinstance(block, Opaque) or "encrypted" in str(block.raw)]
        lost += message.speaker is Speaker.UNKNOWN or not closed
    return 2 * lost > len(conversation.messages)


def opened(path: Path) -> Conversation | None:
    """Return the conversation; None if the file is refused in a sentence with a way out."""
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
    rows = [f"{name:20} {number:5,} {messages[name]:8,}" for name, number in count.most_common()]
    print_at_end("\n".join([f"{'format':20} {'files':>5} {'messages':>8}", *rows]))
    assert misread == []


def mutations(
    sources: dict[Path, list[bytes]], formats: dict[Path, str], chance: random.Random
) -> Iterator[tuple[Path, list[bytes]]]:
    """Yield files with one record of another format in front, inside or behind, without a head, or cut."""
    for path, own in sources.items():
        foreign = sorted(other for other in sources if formats[other] != formats[path])
        for other in chance.sample(foreign, 2):
            stray, place = chance.choice(sources[other]), chance.randrange(len(own))
            yield path, [stray, *own]
            yield path, [*own, stray]
            yield path, [*own[:place], stray, *own[place:]]
        for part in (len(own) // 3, len(own) // 2):
            yield path, own[part:]
            yield path, own[:part]


def test_a_record_more_or_a_part_less_changes_no_reader(tmp_path: Path) -> None:
    sources = {}
    for path in files():
        if path.suffix == ".jsonl" and path.parent.name != "broken" and (found := opened(path)):
            own = [line.data for line in document_lines(open_document(path))]
            if found.format in _LINES and len(own) >= _FEWEST and len(found.messages) > 2:
                sources[path] = own
    formats = {path: load_conversation(path).format for path in sources}
    mutated = tmp_path / "mutated.jsonl"
    for path, changed in mutations(sources, formats, random.Random(14)):
        mutated.write_bytes(b"\n".join(changed) + b"\n")
        conversation = opened(mutated)
        assert conversation is None or not is_lost(conversation), path
        assert conversation is None or conversation.format == formats[path], path
        if len(changed) > len(sources[path]):
            assert conversation is not None, path
