"""Reader for tau-bench: runs with a ``traj`` of OpenAI messages, one conversation for each task and
trial; and its few-shot examples, which are dialogues written out as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.common.conversation_list import check_number, first_words
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import conversation_records
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.records import read_messages
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    Source,
    Speaker,
    SystemPart,
    Text,
    ToolResponse,
)

_KEYS = ("traj",)
_RUN = ("task_id", "reward", "trial")
_SHOWN = "messages_display"
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)
_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_NOTHING = "None"  # what stands for the content of an answer that only calls a tool


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``traj`` beside what else a run has, or by ``messages_display``."""
    if not opened.head:
        return 0.0, ""
    runs = sum(1 for value in opened.objects if isinstance(value.get("traj"), list) and _is_run(value))
    if runs:
        return 0.98 * runs / len(opened.head), f"traj of a task in {runs:,} of {len(opened.head):,} records"
    shown = sum(1 for value in opened.objects if isinstance(value.get(_SHOWN), str))
    return 0.95 * shown / len(opened.head), f"{_SHOWN} in {shown:,} of {len(opened.head):,} records"


def _is_run(value: Mapping[str, Json]) -> bool:
    return any(name in value for name in _RUN)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run or one example. Raises InputError for a number above those there are."""
    if any(_SHOWN in value for value in opened.objects):
        return _read_shown(opened, request)
    notes = ImportNotes()
    held = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(held.records)
    talk = read_messages(held.records, notes)
    title = next((one.title for one in held.listed if one.number == held.number), "")
    return Conversation(
        "tau_bench",
        opened.document,
        talk.messages,
        SystemPart(talk.system),
        report=notes.report(),
        number=held.number,
        siblings=held.siblings,
        listed=held.listed,
        title=title,
        layout={**held.layout, "system": talk.leading},
    )


def _read_shown(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """An example: its text taken apart. Calls are not in it, so its results answer nothing."""
    notes = ImportNotes()
    listed: list[ListedConversation] = []
    wanted: JsonRecord | None = None
    for record in iterate_records(opened, notes, request.progress, request.stop):
        text = record.value.get(_SHOWN) if isinstance(record.value, dict) else None
        if not isinstance(text, str):
            notes.skip(f"without {_SHOWN}")
            continue
        turns = list(_turns(text))
        said = next((words for who, words in turns if who == "user"), text)
        listed.append(ListedConversation(len(listed) + 1, first_words(said), len(turns)))
        wanted = record if len(listed) == request.conversation else wanted
    check_number(opened.document.name, request.conversation, max(1, len(listed)))
    notes.records = 1 if wanted else 0
    messages = _shown(wanted) if wanted else []
    if any(message.speaker is Speaker.TOOL for message in messages):
        notes.warn(wanted.line if wanted else 0, "the example shows results without the calls they answer")
    line: dict[str, Json] = (
        {"line": wanted.line} if wanted and opened.container is DocumentContainer.LINES else {}
    )
    return Conversation(
        "tau_bench",
        opened.document,
        link_calls(messages),
        report=notes.report(),
        number=request.conversation,
        siblings=max(1, len(listed)),
        listed=tuple(listed) if len(listed) > 1 else (),
        layout={"container": opened.container.value, "path": [_SHOWN], **line},
    )


def _turns(text: str) -> Iterator[tuple[str, str]]:
    parts = _TURN.split(text)
    return zip(parts[1::2], (words.rstrip("\n") for words in parts[2::2]), strict=True)


def _shown(record: JsonRecord) -> list[Message]:
    found: list[Message] = []
    for part, (who, words) in enumerate(_turns(record.value[_SHOWN])):
        source = Source(record.line, record.start, record.end, part)
        speaker = _SPEAKERS[who]
        if speaker is Speaker.TOOL:
            found.append(Message(speaker, (ToolResponse("", "", words),), (source,)))
        else:
            blank = not words or (speaker is Speaker.AI and words == _NOTHING)
            found.append(Message(speaker, () if blank else (Text(words),), (source,)))
    return found


TAU_BENCH = Format(
    "tau_bench",
    "tau-bench",
    "Results of tau-bench, one conversation for each task and trial; its few-shot examples.",
    score,
    read,
)
