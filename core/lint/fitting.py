"""Ids, names and images as an API takes them: what its schema refuses is written differently.

An export to another API and the repair use this; a file that stays what it is keeps its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.writing.exporter import ExportInput
from core.transcript.images import image_line
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    with_blocks,
)

MADE_ID = "$made_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """What an API takes: the characters that it refuses in ids and names, the most of each (0: no
    limit is known), the types of images, and whether answers may hold some. The schema of the API
    says the same and names the sources."""

    refused_in_ids: re.Pattern[str] | None = None
    longest_id: int = 0
    refused_in_names: re.Pattern[str]
    longest_name: int
    first_of_names: str = ""
    images: frozenset[str]
    answers_hold_images: bool = False


_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9_-]")
_COMMON_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LIMITS: Mapping[str, _Limits] = {
    "anthropic": _Limits(
        refused_in_ids=_NOT_PLAIN,
        refused_in_names=_NOT_PLAIN,
        longest_name=128,  # of a definition; a call may have 200
        images=_COMMON_IMAGES,
    ),
    "openai": _Limits(
        longest_id=40,
        refused_in_names=_NOT_PLAIN,
        longest_name=64,
        images=_COMMON_IMAGES | {"image/jpg"},
    ),
    "responses": _Limits(
        longest_id=64,
        refused_in_names=_NOT_PLAIN,
        longest_name=128,
        images=_COMMON_IMAGES | {"image/jpg"},
    ),
    "gemini": _Limits(
        refused_in_names=re.compile(r"[^a-zA-Z0-9_.:-]"),
        longest_name=64,
        first_of_names="_",
        images=frozenset(
            {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
        ),
        answers_hold_images=True,  # models that draw give images back
    ),
}
_APIS: Mapping[str, str] = {
    "anthropic_messages": "anthropic",
    "claude_code": "anthropic",
    "openai_chat": "openai",
    "openai_responses": "responses",
    "codex_rollout": "responses",
    "gemini": "gemini",
    "gemini_cli": "gemini",
}
"""The API that the files of a format go to, where it is always the same."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """How messages are changed for an API: new ids and names by the old ones; ``images`` are those
    that it does not take; ``is_needed`` is false where nothing changes."""

    provider: str
    ids: Mapping[str, str]
    names: Mapping[str, str]
    names_by_id: Mapping[str, str]
    images: int
    is_needed: bool

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Return what was changed how often, in words."""
        return (
            ("ids of calls", len(self.ids)),
            ("names of tools", len(self.names)),
            ("images as lines of text", self.images),
        )

    def message(self, message: Message) -> Message:
        """Return the message as the API takes it; the same object if nothing changes."""
        blocks = tuple(self._block(block, message.speaker) for block in message.blocks)
        is_same = all(
            new is old for new, old in zip(blocks, message.blocks, strict=True)
        )
        if is_same:
            return message
        return with_blocks(message, blocks)

    def _block(self, block: Block, speaker: Speaker) -> Block:
        match block:
            case ToolCall():
                return self._call(block)
            case ToolResponse():
                return self._response(block)
            # A line keeps the place of an image that cannot be sent.
            case Media() if not _takes(self.provider, block, speaker):
                return Text(image_line(block.data))
        return block

    def _call(self, call: ToolCall) -> ToolCall:
        id_ = self.ids.get(call.id, call.id)
        name = self.names.get(call.name, call.name)
        is_made = MADE_ID in call.extra
        # A made id has to become a real one, since the other half of the pair names it.
        if (id_, name) == (call.id, call.name) and not is_made:
            return call
        return replace(call, id=id_, name=name, extra=_without_mark(call.extra))

    def _response(self, answer: ToolResponse) -> ToolResponse:
        id_ = self.ids.get(answer.call_id, answer.call_id)
        name = answer.name
        if self.provider == "gemini":  # which finds the call of a result by its name
            name = name or self.names_by_id.get(answer.call_id, "")
        if name or self.provider == "gemini":
            name = self.names.get(name, name)
        is_made = MADE_ID in answer.extra
        if (id_, name) == (answer.call_id, answer.name) and not is_made:
            return answer
        return replace(
            answer, call_id=id_, name=name, extra=_without_mark(answer.extra)
        )

    def tools(self, tools: Sequence[Json]) -> tuple[Json, ...]:
        return tuple(self._tool(tool) for tool in tools)

    def _tool(self, tool: Json) -> Json:
        if not isinstance(tool, dict):
            return tool
        if isinstance(tool.get("function"), dict):
            return {**tool, "function": self._tool(tool["function"])}
        name = tool.get("name")
        if not isinstance(name, str) or name not in self.names:
            return tool
        return {**tool, "name": self.names[name]}


def _takes(provider: str, media: Media, speaker: Speaker) -> bool:
    if not media.mime.startswith("image/"):
        return True
    limits = _LIMITS[provider]
    return media.mime in limits.images and (
        speaker is not Speaker.AI or limits.answers_hold_images
    )


def _without_mark(extra: Mapping[str, Json]) -> Mapping[str, Json]:
    return {key: value for key, value in extra.items() if key != MADE_ID}


def fitting(
    messages: Iterable[Message], tools: Sequence[Json], provider: str
) -> Fitting:
    """Return what an API needs changed of messages and of definitions of tools. Each id and each
    name that it refuses gets one new one, which nothing else has."""
    limits = _LIMITS[provider]
    ids: dict[str, None] = {}
    names: dict[str, None] = dict.fromkeys(_tool_names(tools))
    names_by_id: dict[str, str] = {}
    images, has_made_ids, has_unnamed = 0, False, False
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                ids[block.id] = names[block.name] = None
                names_by_id[block.id] = block.name
                has_made_ids |= MADE_ID in block.extra
            elif isinstance(block, ToolResponse):
                ids[block.call_id] = None
                has_made_ids |= MADE_ID in block.extra
                has_unnamed |= provider == "gemini" and not block.name
            elif isinstance(block, Media):
                images += not _takes(provider, block, message.speaker)
    ids.pop("", None)  # calls without an id are not one call
    if has_unnamed:
        names[""] = None
    new_ids = _renamed(ids, limits.refused_in_ids, limits.longest_id, "", "")
    new_names = _renamed(
        names,
        limits.refused_in_names,
        limits.longest_name,
        limits.first_of_names,
        "tool",
    )
    is_needed = bool(new_ids or new_names or images or has_made_ids)
    return Fitting(provider, new_ids, new_names, names_by_id, images, is_needed)


def _tool_names(tools: Sequence[Json]) -> Iterator[str]:
    for tool in tools:
        if isinstance(tool, dict):
            inner = tool.get("function", tool)
        else:
            inner = None
        if isinstance(inner, dict):
            name = inner.get("name")
        else:
            name = None
        if isinstance(name, str):
            yield name


def _renamed(
    words: Iterable[str],
    refused: re.Pattern[str] | None,
    longest: int,
    first: str,
    empty: str,
) -> dict[str, str]:
    """Return new words for those that have refused characters, are too long or empty, or begin with
    something else than a letter where ``first`` has to stand before that."""
    known = list(words)
    taken = set(known)
    renamed: dict[str, str] = {}
    for word in known:
        if refused:
            new = refused.sub("_", word)
        else:
            new = word
        if first and new and not (new[0].isalpha() or new[0] == first):
            new = first + new
        new = (new[:longest] if longest else new) or empty
        if new == word:
            continue
        renamed[word] = new if new not in taken else _free(new, longest, taken)
        taken.add(renamed[word])
    return renamed


def _free(word: str, longest: int, taken: set[str]) -> str:
    """Return the word with the first number that makes it another one."""
    for number in count(2):
        end = f"_{number}"
        new = f"{word[: longest - len(end)] if longest else word}{end}"
        if new not in taken:
            return new
    raise AssertionError("numbers do not end")


_Counts: TypeAlias = tuple[tuple[str, int], ...]


def fitted_input(
    export_input: ExportInput, format_name: str
) -> tuple[ExportInput, _Counts]:
    """Return the input of an export with ids, names and images as the API of its format takes them,
    and what was changed how often. What is written into a file of its own format stays."""
    provider = _APIS.get(format_name)
    conversation = export_input.conversation
    if provider is None or export_input.is_from_format(format_name):
        return export_input, ()
    fit = fitting(export_input.messages, conversation.system.tools, provider)
    if not fit.is_needed:
        return export_input, ()
    mapped = export_input.map_messages(fit.message)
    # the messages of the file stay: records of a related format are written again where they differ
    return replace(
        mapped, conversation=fitted_conversation(conversation, fit)
    ), fit.counts


def fitted_conversation(conversation: Conversation, fit: Fitting) -> Conversation:
    """Return the conversation with the definitions of its tools under their new names."""
    if not fit.names:
        return conversation
    system = replace(conversation.system, tools=fit.tools(conversation.system.tools))
    return replace(conversation, system=system)
