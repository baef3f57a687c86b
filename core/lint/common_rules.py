"""The rules of an API as a table: what a rule is, and the rules that several APIs share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from core.transcript.model import (
    Block,
    Message,
    Speaker,
    Text,
    ToolResponse,
    tool_calls,
    tool_responses,
)

if TYPE_CHECKING:
    from core.lint.request_records import RequestRecords


@dataclass(frozen=True, slots=True)
class LintFinding:
    """``severity`` is "error", "warning" or "info"; ``index`` a message of the list, -1 for the
    whole.

    ``rule`` is a stable id ("anthropic.orphan-result"); ``text`` one sentence that names the
    message as #n.
    """

    severity: str
    rule: str
    text: str
    index: int


ERROR, WARNING, INFO = "error", "warning", "info"

# A run of 1,000 characters holds a whole block of this size, wherever it begins.
_BLOCK = 512
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _writes_all(block: Block) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class LintProvider:
    """An API with lint rules. ``formats``: transcripts that go to it; ``models``: words in the
    names of its models, for formats of agents that use several APIs; ``is_written`` is false for
    blocks that the exporter leaves out; ``signature`` is the field that signs thinking; ``role``
    begins what is said of a role that is not known."""

    name: str
    label: str
    role: str
    formats: tuple[str, ...]
    rules: tuple[Rule, ...]
    models: tuple[str, ...] = ()
    is_written: Callable[[Block], bool] = _writes_all
    signature: str = ""


@dataclass(frozen=True, slots=True)
class RequestModel:
    """The model that a request goes to: its name, "" if unknown, its window in tokens, None where
    it is not known or depends on the request, and the mode of ``thinking`` ("enabled", "adaptive",
    …), "" where the file does not say it."""

    name: str = ""
    model_limit: int | None = None
    thinking: str = ""


UNKNOWN_MODEL = RequestModel()


class LintedHistory:
    """Messages for an API; ``source``: those before compaction, empty if unknown;
    ``source_indices``: the index by which a message is named, -1 for one that only a recorded
    compaction holds; ``records``: the messages as they are written, None where only their blocks
    are judged. ``turns`` are the indices of neighbouring messages of the model (true) or of
    all others, without those that the exporter leaves out; ``first_calls`` are indices by id;
    ``changed`` are messages that the source does not have, with places."""

    def __init__(
        self,
        api: LintProvider,
        messages: Sequence[Message],
        source: Sequence[Message],
        source_indices: Sequence[int] = (),
        model: RequestModel = UNKNOWN_MODEL,
        records: RequestRecords | None = None,
    ) -> None:
        self.model, self.records = model, records
        self.api = api
        self.messages = messages
        self.source = source
        self._source_indices = source_indices
        indices = [
            index
            for index, message in enumerate(messages)
            # A message that the exporter leaves out must not part two turns of one side.
            if any(map(api.is_written, message.blocks))
        ]
        turns = groupby(
            indices, key=lambda index: messages[index].speaker is Speaker.AI
        )
        self.turns = [(by_model, [*own]) for by_model, own in turns]
        self.first_calls: dict[str, int] = {}
        for index, message in enumerate(messages):
            for call in tool_calls(message):
                self.first_calls.setdefault(call.id, index)
        # By identity: a compaction passes the same objects on.
        known = {id(message) for message in source or messages}
        self.changed = [
            (index, one) for index, one in enumerate(messages) if id(one) not in known
        ]

    def is_verbatim(self, index: int) -> bool:
        """Return whether a message is written as it is in its file, where nothing puts it right."""
        return self.records is not None and self.records.is_verbatim(
            self.messages[index]
        )

    @property
    def is_request(self) -> bool:
        """Return whether the messages are those of a request's file, not of an agent's session."""
        return self.records is not None and self.records.is_request

    def name(self, index: int) -> str:
        if self._source_indices:
            source_index = self._source_indices[index]
        else:
            source_index = index
        if source_index >= 0:
            return f"#{source_index + 1}"
        return "a message of the recorded compaction"

    def finding(self, severity: str, rule: str, index: int, text: str) -> LintFinding:
        """Return a finding whose sentence begins with the message."""
        return LintFinding(
            severity, f"{self.api.name}.{rule}", f"{self.name(index)} {text}", index
        )

    def orphan(self, index: int, id_: str) -> LintFinding:
        """Return the finding for a result without its call right before it."""
        call = self.first_calls.get(id_)
        if call is None:
            why = "which no message makes"
        elif call > index:
            why = f"which comes only later, in {self.name(call)}"
        else:
            why = f"which is in {self.name(call)}, not in the assistant message right before"
        return self.finding(
            ERROR, "orphan-result", index, f"answers the call {display_id(id_)}, {why}."
        )

    def second_result(self, index: int, id_: str) -> LintFinding:
        text = f"answers the call {display_id(id_)} a second time."
        return self.finding(ERROR, "second-result", index, text)

    def unanswered(
        self, calls: Mapping[str, int], *, last: bool
    ) -> Iterator[LintFinding]:
        """Yield calls without a result: warnings in the last turn, where the agent can still add
        one."""
        # The agent may still answer the last calls, so an open one there is no error.
        for id_, index in calls.items():
            severity, rule, text = _UNANSWERED[last]
            call = f"The call {display_id(id_)} in {self.name(index)}"
            yield LintFinding(
                severity, f"{self.api.name}.{rule}", f"{call} {text}", index
            )


_UNANSWERED = {
    True: (WARNING, "open-call", "is not answered yet; the agent has to add a result."),
    False: (
        ERROR,
        "unanswered-call",
        "is not answered before the conversation goes on.",
    ),
}
Rule: TypeAlias = Callable[[LintedHistory], Iterable[LintFinding]]


def message_rule(
    severity: str, rule: str, text: str, holds: Callable[[Message], bool]
) -> Rule:
    """Return the rule that finds every message for which ``holds`` is true."""

    def find(history: LintedHistory) -> Iterator[LintFinding]:
        for index, message in enumerate(history.messages):
            if holds(message):
                yield history.finding(severity, rule, index, text)

    return find


def display_id(id_: str) -> str:
    if len(id_) <= 60:
        return id_
    return f"{id_[:60]}…"


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def _has_base64(block: Block) -> bool:
    if isinstance(block, ToolResponse):
        return isinstance(block.result, str) and holds_base64(block.result)
    return isinstance(block, Text) and holds_base64(block.text)


def holds_base64(text: str) -> bool:
    """Return whether about 1,000 characters in a row are base64.

    Such a run contains a whole aligned block of 512, so only these are checked.
    """
    if len(text) < _BLOCK:
        return False
    for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
        # Base64 has no blanks; a look at the beginning saves most of the work.
        if " " in text[start : start + 32]:
            continue
        # a line of equal characters or a number is not base64
        if (
            _BASE64.fullmatch(text, start, start + _BLOCK)
            and len(set(text[start : start + _BLOCK])) > 24
        ):
            return True
    return False


def _has_base64_text(message: Message) -> bool:
    return any(map(_has_base64, message.blocks))


def _has_made_call(message: Message) -> bool:
    return any(not call.id or "$made_id" in call.extra for call in tool_calls(message))


def _has_made_result(message: Message) -> bool:
    # An id that only the reader made is none in the file.
    return any(
        not one.call_id or "$made_id" in one.extra for one in tool_responses(message)
    )


_BASE64_WORDS = (
    "holds base64 data in its text; the model pays for it and cannot read it."
)
_CALL_WORDS = "has a tool call without an id; it was paired by its place."
_RESULT_WORDS = "has a tool result without an id; it was paired by its place."

BASE64_TEXT = message_rule(WARNING, "base64-text", _BASE64_WORDS, _has_base64_text)
MISSING_IDS = (
    message_rule(WARNING, "missing-id", _CALL_WORDS, _has_made_call),
    message_rule(WARNING, "missing-id", _RESULT_WORDS, _has_made_result),
)


def unknown_roles(history: LintedHistory) -> Iterator[LintFinding]:
    for index, message in enumerate(history.messages):
        if message.speaker is Speaker.UNKNOWN:
            text = f"has a {history.api.role} does not know; it is written as user."
            yield history.finding(WARNING, "unknown-role", index, text)


def repeated_ids(history: LintedHistory) -> Iterator[LintFinding]:
    """Find an id used twice: an error within one message, information across messages."""
    seen: dict[str, int] = {}
    for index, message in enumerate(history.messages):
        for call in tool_calls(message):
            if call.id:
                before = seen.get(call.id)
            else:
                before = None
            if before == index:
                text = f"has two calls with the id {display_id(call.id)}."
                yield history.finding(ERROR, "duplicate-id", index, text)
            elif before is not None:
                text = f"uses the call id {display_id(call.id)} of {history.name(before)} again."
                yield history.finding(INFO, "reused-id", index, text)
            # The last use counts: an id is free for the next pair once it is answered.
            seen[call.id] = index
