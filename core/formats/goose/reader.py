"""Reader for goose: an exported session (``conversation``), and the JSONL of earlier versions.

Compactions: goose hides what it replaced from the model and adds messages that only the model sees
(``metadata.agentVisible``, ``userVisible``); earlier versions wrote a ``conversationCompacted`` block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, number_of, string_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.goose.messages import CONTENT, LEGACY, read_messages
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    SystemPart,
)

_KEYS = ("conversation",)
_HEADER = ("working_dir", "tools", "description", "extension_data")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the content types that only goose has, else by the fields around plain messages."""
    seen = detection_sample(opened, _KEYS)
    messages = [value for value in seen.records if "role" in fields_of(value)]
    total = len(seen.records)
    header = {**seen.fields, **(fields_of(seen.records[0]) if seen.records else {})}
    signs = [name for name in _HEADER if name in header]
    if not messages:
        return (0.6, "an empty conversation") if seen.fields and "working_dir" in signs else (0.0, "")
    own = sum(1 for value in messages if _has_own_content(value))
    share = (len(messages) + (total > len(messages) and bool(signs))) / total
    if own:
        return 0.98 * share, f"toolRequest, toolResponse and the like in {own} of {total} {seen.unit}"
    dated = all(isinstance(value.get("created"), int) for value in messages)
    if dated and signs:
        return 0.97 * share, f"created in each of the {seen.unit}, {', '.join(signs)}"
    return (0.7 * share, f"created in each of the {seen.unit}") if dated else (0.0, "")


def _has_own_content(value: Mapping[str, Json]) -> bool:
    blocks = list_of(value.get("content"))
    return any(isinstance(block, dict) and block.get("type") in CONTENT for block in blocks)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one session. Raises InputError where there is none of that number."""
    notes = ImportNotes()
    held = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(held.records)
    header, records = _header(held, notes)
    every = [message for record in records for message in read_messages(record, notes)]
    messages, recorded = _compactions(every)
    config = fields_of(header.get("model_config"))
    return Conversation(
        "goose",
        opened.document,
        link_calls(messages, notes),
        SystemPart((), tuple(list_of(header.get("tools")))),
        recorded=recorded,
        report=notes.report(),
        model=string_of(config.get("model_name")),
        cwd=string_of(header.get("working_dir")),
        session_id=string_of(header.get("id")),
        reported_context=number_of(header.get("input_tokens")) or number_of(header.get("total_tokens")),
        reported_limit=number_of(config.get("context_limit")),
        usage=_usage(header, messages, string_of(config.get("model_name"))),
        number=held.number,
        siblings=held.siblings,
        listed=held.listed,
        title=string_of(header.get("name")) or string_of(header.get("description")),
        layout=held.layout,
    )


def _usage(header: Mapping[str, Json], messages: Sequence[Message], model: str) -> tuple[ReportedUsage, ...]:
    """A session keeps what was reported of its last request alone."""
    asked, answers = number_of(header.get("input_tokens")), range(len(messages) - 1, -1, -1)
    last = next((place for place in answers if messages[place].speaker is Speaker.AI), None)
    if not asked or last is None:
        return ()
    return (ReportedUsage(last, asked, number_of(header.get("output_tokens")), model),)


def _header(held: ConversationRecords, notes: ImportNotes) -> tuple[Mapping[str, Json], Sequence[JsonRecord]]:
    """The session's own fields: around the messages, or the first line of JSONL."""
    first = held.records[0].value if held.records else None
    if isinstance(first, dict) and "role" not in first:
        notes.skip("session fields", line=held.records[0].line)
        return {**held.fields, **first}, held.records[1:]
    return held.fields, held.records


def _compactions(every: Sequence[Message]) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """A run of messages that the person does not see, where some are hidden from the model, is what a
    compaction added: its summary and a word to go on. The prompt that it repeats behind them stays.

    The file says who sees a message now, so ``kept`` are those before it that the model still sees.
    """
    hidden = any(not _seen(one, "agentVisible") for one in every)
    messages: list[Message] = []
    found: list[RecordedCompaction] = []
    runs = [(seen, list(group)) for seen, group in groupby(every, key=_seen_by_person)]
    for number, (seen, run) in enumerate(runs):
        if seen or not hidden:
            for message in run:
                if not hidden and message.extra.get(LEGACY):
                    found.append(RecordedCompaction("summary", len(messages), source=message.sources[0]))
                if message.blocks or not message.extra.get(LEGACY):
                    messages.append(message)
            continue
        after = runs[number + 1][1][0] if number + 1 < len(runs) else None
        if after is not None and run[0].blocks == after.blocks:
            messages.append(run.pop(0))
        if run:
            found.append(_folded(messages, run))
    return messages, tuple(found)


def _folded(messages: Sequence[Message], summary: Sequence[Message]) -> RecordedCompaction:
    kept = tuple(index for index, one in enumerate(messages) if _seen(one, "agentVisible"))
    flagged = tuple(replace(one, flags=one.flags | MessageFlag.RECORDED_SUMMARY) for one in summary)
    return RecordedCompaction(
        "summary", len(messages), summary=flagged, kept=kept, source=summary[0].sources[0]
    )


def _seen_by_person(message: Message) -> bool:
    return _seen(message, "userVisible")


def _seen(message: Message, by: str) -> bool:
    return fields_of(message.extra.get("metadata")).get(by) is not False


GOOSE = Format(
    "goose",
    "goose",
    "Sessions of goose: the JSON of its export command, and the JSONL files of earlier versions.",
    score,
    read,
    real_file_seen=False,
)
