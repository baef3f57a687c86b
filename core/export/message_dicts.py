"""Messages of an API as dicts, read as a conversation and written again in the same shape."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.common.errors import InputError
from core.common.json_value import Json, MessageObject
from core.export.export import export_history
from core.formats import anthropic as anthropic
from core.formats import openai_chat as openai_chat
from core.formats import openai_responses as openai_responses
from core.formats.common.document import OpenedDocument, open_text
from core.formats.common.format import ReadRequest
from core.formats.registry import read_opened
from core.formats.writing.exporter import ExportInput
from core.preview.options import Preview
from core.transcript.model import (
    Conversation,
    ReportedUsage,
    SourceDocument,
    Speaker,
    SystemPart,
)

_BETWEEN = b",\n"  # so that each message has a line of its own, which a note names


@dataclass(frozen=True, slots=True)
class CallerDicts:
    """Messages as records of JSON, and the conversation that they are; its document holds their
    bytes."""

    records: tuple[bytes, ...]
    conversation: Conversation

    @property
    def dicts(self) -> list[dict[str, Json]]:
        return [json.loads(record) for record in self.records]

    def message_indices(self) -> list[tuple[int, ...]]:
        """Return the indices in the history of each message that was given."""
        starts = list(
            accumulate(
                (len(record) + len(_BETWEEN) for record in self.records), initial=1
            )
        )
        found: list[list[int]] = [[] for _ in self.records]
        for index, message in enumerate(self.conversation.messages):
            found[bisect(starts, message.sources[0].start) - 1].append(index)
        return [tuple(indices) for indices in found]

    def warnings(self) -> tuple[str, ...]:
        """Return what could not be read, as in 'messages[1]: the role "usr" is not known'."""
        return tuple(
            f"messages[{note.line - 1}]: {note.text}" if note.line else note.text
            for note in self.conversation.report.warnings
        )

    def result(self, preview: Preview) -> list[dict[str, Json]]:
        """Return the messages of a result, without what was counted beside those that were
        given."""
        if preview.result.compaction.no_op is not None:
            return self.dicts
        conversation = replace(
            preview.source.conversation, system=self.conversation.system
        )
        return self.written(
            ExportInput(
                conversation=conversation,
                history=preview.source.history,
                compaction=preview.result.compaction,
            )
        )

    def written(self, content: ExportInput) -> list[dict[str, Json]]:
        """Return messages in the shape of those that were given."""
        value = json.loads(
            export_history(content, self.conversation.format, redact=False).data
        )
        records: list[dict[str, Json]] = (
            value["messages"] if isinstance(value, dict) else value
        )
        return records


def read_dicts(messages: Sequence[object]) -> CallerDicts:
    """Read messages of OpenAI's chat API, Anthropic's messages API, or items of OpenAI's
    Responses."""
    records = _records(messages)
    data = b"[" + _BETWEEN.join(records) + b"]"
    file = open_text(SourceDocument(name="messages", data=data, size=len(data)))
    return CallerDicts(
        records, read_opened(file, ReadRequest(), format=_format(file))[0]
    )


def with_request(
    conversation: Conversation,
    system: str,
    tools: Sequence[object],
    reported: int | None,
) -> Conversation:
    """Return the conversation with what a request holds beside its messages. ``reported`` are the
    tokens of the last request, which ended before the last answer."""
    if reported is not None and reported <= 0:
        raise InputError(
            f"The reported size cannot be {reported}.",
            "Give the tokens of the last request.",
        )
    part = conversation.system
    if system or tools:
        if system:
            texts = (*part.texts, system)
        else:
            texts = part.texts
        definitions = [json.loads(record) for record in _records(tools)]
        conversation = replace(
            conversation, system=SystemPart(texts, (*part.tools, *definitions))
        )
    if reported is None:
        return conversation
    usage = ReportedUsage(
        _answer_start(conversation), reported, model=conversation.model
    )
    return replace(conversation, usage=(usage,), reported_context=reported)


def _answer_start(conversation: Conversation) -> int:
    """Return the index of the last answer, which may be several messages; the end if there is
    none."""
    messages = conversation.messages
    start = len(messages)
    while start and messages[start - 1].speaker is not Speaker.AI:
        start -= 1
    if start == 0:
        return len(messages)
    while start and messages[start - 1].speaker is Speaker.AI:
        start -= 1
    return start


def _records(values: Sequence[object]) -> tuple[bytes, ...]:
    try:
        return tuple(json.dumps(value, default=_dumped).encode() for value in values)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The messages are not JSON: {error}.",
            "Give dicts of strings and lists, or what load(path) returns.",
        ) from error


def _dumped(value: object) -> Json:
    if isinstance(value, MessageObject):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _format(file: OpenedDocument) -> str:
    """Return which API dicts are of; plain texts fit several and count as those of OpenAI's chat
    API."""
    readers = (openai_chat, anthropic, openai_responses)
    names = ("openai_chat", "anthropic_messages", "openai_responses")
    scores = [reader.score(file)[0] for reader in readers]
    return names[scores.index(max(scores))]
