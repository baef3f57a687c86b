"""Finds compactions in Anthropic messages: the API's ``compaction`` block, and those of Roo and Kilo.

The summary is in the list of messages and stays one of them: it is written back with the file, and where
the agent deleted the messages that it replaced, it is the oldest part of the session. The message
at ``position`` is that summary or marker; ``kept`` are those before it that stayed in the context.

Roo's marks: ``isSummary`` on the summary; newer versions delete nothing, they tag what a summary
(``condenseId``) or a sliding window (``truncationId``, ``isTruncationMarker``) removed with
``condenseParent`` and ``truncationParent``. A tag whose summary or marker is gone hides nothing.
Older versions delete, and move the last messages behind the summary; the file does not say which of those
were before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.formats.common.json_access import fields_of, string_of
from core.transcript.model import Message, MessageFlag, Opaque, RecordedCompaction, Text

_BLOCK = "compaction"
_CONDENSED, _TRUNCATED = "condenseParent", "truncationParent"
_Tag: TypeAlias = tuple[str, str]  # the field that names what removed a message, and the id there


def recorded_compactions(messages: Sequence[Message]) -> Iterator[RecordedCompaction]:
    context = _Context()
    for position, message in enumerate(messages):
        context.remove_tagged(_removing_tags(message))
        kind = _compaction_kind(message)
        if kind and not _is_second_part(message):
            kept = tuple(context.kept) if _is_roo(message) else ()
            is_source_lost = (
                bool(message.flags & MessageFlag.RECORDED_SUMMARY) and "condenseId" not in message.extra
            )
            yield RecordedCompaction(
                kind, position, kept=kept, source=message.sources[0], is_source_lost=is_source_lost
            )
        context.add(position, _removed_by_tags(message))


@dataclass(slots=True)
class _Context:
    """The messages so far that no summary or marker removed, and all of them by their tags."""

    kept: dict[int, None] = field(default_factory=dict)  # in order
    _removal_tags: set[_Tag] = field(default_factory=set)
    _indices_by_tag: dict[_Tag, list[int]] = field(default_factory=dict)

    def remove_tagged(self, tags: Sequence[_Tag]) -> None:
        self._removal_tags.update(tags)
        for tag in tags:
            for index in self._indices_by_tag.pop(tag, ()):
                self.kept.pop(index, None)

    def add(self, index: int, tags: Sequence[_Tag]) -> None:
        if self._removal_tags.isdisjoint(tags):
            self.kept[index] = None
            for tag in tags:
                self._indices_by_tag.setdefault(tag, []).append(index)


def _compaction_kind(message: Message) -> str:
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        return "summary"
    if message.extra.get("isTruncationMarker") is True:
        return "truncate"
    for block in message.blocks:
        if isinstance(block, Text) and block.extra.get("type") == _BLOCK:
            return "summary"
        if isinstance(block, Opaque) and block.kind == _BLOCK:
            # a block with neither text nor encrypted content is a failed compaction
            return "opaque" if fields_of(block.raw).get("encrypted_content") else ""
    return ""


def _is_roo(message: Message) -> bool:
    """Return whether Roo or Kilo wrote it; the API's own block keeps nothing before it."""
    return (
        bool(message.flags & MessageFlag.RECORDED_SUMMARY) or message.extra.get("isTruncationMarker") is True
    )


def _is_second_part(message: Message) -> bool:
    return bool(message.sources) and message.sources[0].part > 0


def _removing_tags(message: Message) -> list[_Tag]:
    """Return the tags of messages that this summary or marker removed."""
    tags = []
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        tags.append((_CONDENSED, string_of(message.extra.get("condenseId"))))
    if message.extra.get("isTruncationMarker") is True:
        tags.append((_TRUNCATED, string_of(message.extra.get("truncationId"))))
    return [tag for tag in tags if tag[1]]


def _removed_by_tags(message: Message) -> list[_Tag]:
    """Return the tags that say what removed this message."""
    return [(name, id_) for name in (_CONDENSED, _TRUNCATED) if (id_ := string_of(message.extra.get(name)))]
