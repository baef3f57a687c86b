"""Conversations with the facts that a careful person would list, read from the files beside this one.

A file names its format, then the conversation (H human, A model, C call, R result, E result marked as
an error), then after F the facts: a category and a text each. What is not listed is no fact: questions,
wishes, pasted logs, commands that only look around. A rule that is revoked later is listed as "revoked".
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.common.json_value import MISSING
from core.export.export import find_exporter
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportOptions
from core.formats.writing.export_messages import ExportInput
from core.transcript.model import Block, Conversation, Message, ToolCall
from core.transcript.scopes import ALL, history_of_scope
from tests.builders import ai, conversation, human, response, tool

FOLDER = Path(__file__).parent
NAMES = tuple(path.stem for path in sorted(FOLDER.glob("*.txt")))
_PART = re.compile(r"^([HACREF]): ?(.*)$")


@dataclass(frozen=True, slots=True)
class LabelledConversation:
    name: str
    format: str
    messages: tuple[Message, ...]
    labels: tuple[tuple[FidelityCategory, str], ...]
    revoked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryPair:
    """A faithful and a false sentence about one session; ``topic`` is what they differ in."""

    session: tuple[Message, ...]
    topic: str
    faithful: str
    false: str


def summary_pairs(of_set: str) -> Iterator[SummaryPair]:
    for path in sorted((FOLDER / "summaries").glob("*.txt")):
        parts = list(_parts(path.read_text("utf-8").splitlines()))
        if parts.pop(0)[1] != f"set: {of_set}":
            continue
        lines = next(text for kind, text in parts if kind == "F").splitlines()
        session = tuple(_messages(parts))
        yield from (SummaryPair(session, *line.split(" | ")) for line in lines if line)


def load_labelled(name: str) -> LabelledConversation:
    parts = list(_parts((FOLDER / f"{name}.txt").read_text("utf-8").splitlines()))
    format = parts.pop(0)[1]
    facts = next(text for kind, text in parts if kind == "F")
    found = [line.partition(": ") for line in facts.splitlines() if line]
    labels = tuple((FidelityCategory(kind), text) for kind, _, text in found if kind != "revoked")
    revoked = tuple(text for kind, _, text in found if kind == "revoked")
    return LabelledConversation(name, format, tuple(_messages(parts)), labels, revoked)


def _parts(lines: list[str]) -> Iterator[tuple[str, str]]:
    yield "", lines[0].removeprefix("format: ")
    kind, part_lines = "", list[str]()
    for line in lines[1:]:
        match = _PART.match(line) if kind != "F" else None
        if match is None:
            part_lines.append(line)
            continue
        if kind:
            yield kind, "\n".join(part_lines)
        kind, part_lines = match[1], [match[2]] if match[2] else []
    yield kind, "\n".join(part_lines)


def _messages(parts: list[tuple[str, str]]) -> Iterator[Message]:
    calls: list[ToolCall] = []
    answer_text: str | None = None
    for kind, text in parts:
        if answer_text is not None and kind != "C":
            yield ai(answer_text)
        if kind == "C":
            name, _, arguments = text.partition(" ")
            calls.append(ToolCall(f"call_{len(calls)}", name, json.loads(arguments)))
            yield ai(answer_text or "", calls[-1])
        answer_text = text if kind == "A" else None
        if kind == "H":
            yield human(text)
        elif kind in "RE":
            yield tool(_answer(calls[-1], text, failed=kind == "E"))
    if answer_text is not None:
        yield ai(answer_text)


def _answer(call: ToolCall, text: str, *, failed: bool) -> Block:
    return response(call.id, call.name, None if failed else text, text if failed else MISSING)


def write_and_load(labelled_conversation: LabelledConversation, folder: Path) -> Conversation:
    source = conversation(*labelled_conversation.messages, model="claude-sonnet-4-5", cwd="/work")
    exporter = find_exporter(labelled_conversation.format)
    path = folder / f"{labelled_conversation.name}{exporter.suffix}"
    path.write_bytes(exporter.write(ExportInput(source, history_of_scope(source, ALL)), ExportOptions()).data)
    return load_conversation(path)


def matches(kind: FidelityCategory, label: str, fact: SourceFact) -> bool:
    label_text, fact_text = _plain(label), _plain(fact.text)
    if kind in (FidelityCategory.FILE, FidelityCategory.PATH):
        return (
            fact_text == label_text
            or fact_text.endswith(f"/{label_text}")
            or label_text.endswith(f"/{fact_text}")
        )
    if kind is FidelityCategory.NUMBER:  # "page size" is the size that is meant
        (key, _, value), (other, _, number) = label_text.partition(" = "), fact_text.partition(" = ")
        return value == number and (key.endswith(other) or other.endswith(key))
    if kind in (
        FidelityCategory.URL,
        FidelityCategory.COMMAND,
        FidelityCategory.TODO,
        FidelityCategory.IDENTIFIER,
    ):
        return fact_text == label_text
    return label_text in fact_text or (len(fact_text) > 20 and fact_text in label_text)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("`", "").split()).rstrip(".")
