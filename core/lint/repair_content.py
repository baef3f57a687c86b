"""Rules of the repair for content: rows of the agent, server tools, thinking, blanks, marks,
images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common import number_format
from core.common.json_value import Json
from core.lint.common_rules import (
    UNKNOWN_MODEL,
    LintedHistory,
    LintProvider,
    RequestModel,
    display_id,
    is_blank,
)
from core.lint.provider_limits import (
    ProviderLimit,
    SentImage,
    breaks_limit,
    limits_of,
    media_use,
)
from core.lint.provider_rules import (
    MAX_CACHE_MARKS,
    begins_with_compaction,
    holds_nothing,
    is_compaction_item,
    is_readable_item,
    is_reasoning,
    item_id,
    server_part,
)
from core.lint.request_records import RequestRecords
from core.llm.protocol import human_text
from core.strategies.draft import DraftEntry
from core.transcript.compaction import Compaction
from core.transcript.images import without_images
from core.transcript.model import (
    Block,
    LostParent,
    Message,
    MessageFlag,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
    with_blocks,
)
from core.transcript.tool_pairs import answer_text, json_text

# OpenAI keeps them apart, and Responses has items instead of messages.
JOINING = ("anthropic", "gemini")
"""Providers that take neighbouring messages of one side as one."""


@dataclass(frozen=True, slots=True)
class RepairRule:
    """A fault that a provider refuses and what mends it; ``source`` is where the demand comes
    from."""

    name: str
    fault: str
    mend: str
    source: str
    apply: Callable[[Mending], None]


@dataclass(frozen=True, slots=True)
class RepairChange:
    """``index`` is a message of the source, -1 for one that was added; ``reason`` is a sentence;
    ``moves`` where something stands at another place than before."""

    rule: str
    index: int
    reason: str
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """The mended history as a result with fates, and what was changed, in the order of the
    messages."""

    compaction: Compaction
    changes: tuple[RepairChange, ...] = ()


def change_count(changes: Sequence[RepairChange]) -> str:
    """Return "3 changes, 1 of the order"."""
    count = number_format.plural(len(changes), "change")
    moved = sum(one.moves for one in changes)
    return f"{count}, {moved:,} of the order" if moved else count


@dataclass(slots=True, kw_only=True)
class Mending:
    """A history while rules change it. ``is_request``: it is written as a request, not as the
    session of an agent, which holds rows that are never sent. ``model``: the one that it goes to.
    ``leaves_out_images``: the oldest images over a limit of the provider go. ``lost_parents`` are
    those of the file. ``records``: what is written of each message, for its schema. ``is_sent``: the
    messages go to the provider as they are; the agent or the export of another format puts ids,
    names and inputs right by itself. ``damage``: records of the file that are mended, and lines
    that are left out."""

    provider: LintProvider
    entries: list[DraftEntry]
    is_request: bool
    model: RequestModel = UNKNOWN_MODEL
    leaves_out_images: bool = False
    lost_parents: Sequence[LostParent] = ()
    records: RequestRecords | None = None
    is_sent: bool = True
    damage: tuple[int, int] = (0, 0)
    changes: list[RepairChange] = field(default_factory=list)

    def say(
        self, rule: str, entry: DraftEntry, reason: str, *, moves: bool = False
    ) -> None:
        if entry.origins:
            index = entry.origins[0]
        else:
            index = -1
        self.changes.append(
            RepairChange(
                rule,
                index,
                f"{number_format.message_number(index)} {reason}"
                if entry.origins
                else reason,
                moves,
            )
        )

    def set_blocks(self, index: int, blocks: Iterable[Block]) -> None:
        """Replace the blocks of a message; the same blocks leave it the same object."""
        entry = self.entries[index]
        new = tuple(blocks)
        if len(new) != len(entry.message.blocks) or any(
            map(differs, new, entry.message.blocks)
        ):
            self.entries[index] = replace(
                entry, message=with_blocks(entry.message, new)
            )

    def remove_hollow(self, before: Sequence[DraftEntry]) -> None:
        """Remove the messages that have lost all their blocks since ``before``."""
        # A message that was empty before is another rule's finding.
        had_blocks = {
            entry.origins for entry in before if entry.message.blocks and entry.origins
        }
        self.entries[:] = [
            entry
            for entry in self.entries
            if entry.message.blocks or entry.origins not in had_blocks
        ]

    def history(self) -> LintedHistory:
        """Return the messages as the rules see them now."""
        messages = [entry.message for entry in self.entries]
        return LintedHistory(self.provider, messages, (), (), self.model, self.records)

    @property
    def joins_turns(self) -> bool:
        """Whether the provider takes neighbouring messages of one side as one."""
        return self.provider.name in JOINING

    def turns(self) -> list[tuple[bool, list[int]]]:
        """Return the indices of neighbouring messages of the model (true) or of all others, as the
        provider joins them; OpenAI joins nothing of the model."""
        history = LintedHistory(
            self.provider, [entry.message for entry in self.entries], ()
        )
        return [
            (by_model, part)
            for by_model, indices in history.turns
            for part in (
                [[index] for index in indices]
                if by_model and not self.joins_turns
                else [indices]
            )
        ]

    def is_open_end(self, turn: Sequence[int], leaving: Collection[int] = ()) -> bool:
        """Return whether only results follow a turn of the model, so that its open calls may still
        be answered; ``leaving`` are the indices of messages that will be none."""
        later = range(turn[-1] + 1, len(self.entries))
        return all(
            self._is_only_result(index) and index not in leaving for index in later
        )

    def _is_only_result(self, index: int) -> bool:
        message = self.entries[index].message
        # What is not written does not stand between a call and its result.
        if self.joins_turns and not any(map(self.provider.is_written, message.blocks)):
            return True
        return message.speaker is Speaker.TOOL and any(tool_responses(message))


def differs(new: Block, old: Block) -> bool:
    return new is not old


FIRST_WORDS = "(What came before is not in this session.)"
_CACHE_MARK = "cache_control"
_REDACTED = "redacted_thinking"


def leave_out_harness_rows(mending: Mending) -> None:
    shown = [
        entry
        for entry in mending.entries
        if entry.message.flags & MessageFlag.API_ERROR
    ]
    # The agent keeps such rows in its session and leaves them out itself.
    for entry in shown if mending.is_request else ():
        mending.entries.remove(entry)
        mending.say(
            "harness-row", entry, "is an error that the agent showed; no API takes it."
        )


def join_server_tools(mending: Mending) -> None:
    """Join a provider's own call and its result in one turn; without a partner both become text."""
    calls: dict[str, tuple[int, int]] = {}  # turn and index by id
    turns = mending.turns()
    answered = set(_answered_server_ids(mending))
    for turn, (by_model, indices) in enumerate(turns):
        for index in indices if by_model else ():
            blocks: list[Block] = []
            entry = mending.entries[index]
            for block in entry.message.blocks:
                kind, id_ = server_part(block)
                if kind is ToolCall:
                    calls[id_] = turn, index
                if (
                    kind is ToolCall
                    and id_ not in answered
                    # The provider may still answer at the end.
                    and not mending.is_open_end(indices)
                ):
                    mending.say(
                        "server-tool",
                        entry,
                        f"called {display_id(id_)} without a result; it is text now.",
                    )
                    blocks.append(Text(_server_text(block)))
                elif kind is ToolResponse and calls.get(id_, (-1, 0))[0] != turn:
                    _move_server_result(
                        mending, calls.pop(id_, None), entry, block, id_, blocks
                    )
                else:
                    blocks.append(block)
            mending.set_blocks(index, blocks)


def _move_server_result(
    mending: Mending,
    call: tuple[int, int] | None,
    entry: DraftEntry,
    block: Block,
    id_: str,
    blocks: list[Block],
) -> None:
    if call is None:
        mending.say(
            "server-tool",
            entry,
            f"held the result of {display_id(id_)}, which no call asks for; it is text now.",
        )
        blocks.append(Text(_server_text(block)))
        return
    mending.say(
        "server-tool",
        entry,
        f"held the result of {display_id(id_)} in a later turn; it stands after its call now.",
        moves=True,
    )
    index = call[1]
    own = list(mending.entries[index].message.blocks)
    # The result belongs right behind its call, whatever else the answer holds.
    at = next(at for at, one in enumerate(own) if server_part(one) == (ToolCall, id_))
    mending.set_blocks(index, [*own[: at + 1], block, *own[at + 1 :]])


def _answered_server_ids(mending: Mending) -> Iterator[str]:
    parts = (
        server_part(block)
        for entry in mending.entries
        for block in entry.message.blocks
    )
    return (id_ for part, id_ in parts if part is ToolResponse)


def _server_text(block: Block) -> str:
    assert isinstance(block, ServerTool)
    (part,) = block.description
    if isinstance(part, ToolCall):
        return f"[{part.name} was called: {json_text(part.arguments)}]"
    return f"[{part.name} answered: {answer_text(part) or json_text(part.result)}]"


def leave_out_empty(mending: Mending) -> None:
    """Leave out blank texts and messages that say nothing, where the provider refuses them."""
    joins = mending.joins_turns
    index = 0
    while index < len(mending.entries):
        entry = mending.entries[index]
        is_open_end = (
            index == len(mending.entries) - 1 and entry.message.speaker is Speaker.AI
        )
        # An agent may still write into an empty last answer; Anthropic takes it in a request, too.
        may_be_empty = mending.provider.name == "anthropic" or not mending.is_request
        is_taken = joins and is_open_end and may_be_empty
        if not _says_something(mending, entry.message) and not is_taken:
            del mending.entries[index]
            mending.say("empty", entry, "says nothing; it is left out.")
            continue
        if joins:
            _leave_out_blank_texts(mending, index)
        index += 1


def _leave_out_blank_texts(mending: Mending, index: int) -> None:
    entry = mending.entries[index]
    blocks = [block for block in entry.message.blocks if not _is_blank_text(block)]
    # A message of blank texts alone is left out whole.
    if blocks and len(blocks) < len(entry.message.blocks):
        mending.set_blocks(index, blocks)
        mending.say("empty", entry, "held a blank text; it is left out.")


def _is_blank_text(block: Block) -> bool:
    return isinstance(block, Text) and is_blank(block.text)


def _says_something(mending: Mending, message: Message) -> bool:
    if mending.joins_turns:
        return any(map(mending.provider.is_written, message.blocks))
    return (
        # In Responses empty items are taken.
        mending.provider.name == "responses"
        or message.speaker is not Speaker.AI
        or not holds_nothing(message)
    )


def begin_with_the_person(mending: Mending) -> None:
    turns = mending.turns()
    if not mending.joins_turns or not turns:
        return
    by_model, indices = turns[0]
    if not by_model:
        return
    first = mending.entries[indices[0]]
    # The API drops what is before its own block, so an answer may stand first.
    is_anthropic = mending.provider.name == "anthropic"
    if is_anthropic and begins_with_compaction(first.message):
        return
    mending.say(
        "first-role",
        first,
        "came first; a short message of the person stands before it.",
    )
    mending.entries.insert(0, DraftEntry(human_text(FIRST_WORDS), (), True))


def limit_cache_marks(mending: Mending) -> None:
    """Keep the last marks, as the newest prefix is the one that is read again; thinking has none."""
    if mending.provider.name == "anthropic":
        _unmark_thinking(mending)
    marked = [
        (index, at)
        for index, entry in enumerate(mending.entries)
        for at, block in enumerate(entry.message.blocks)
        if not isinstance(block, Opaque) and block.extra.get(_CACHE_MARK)
    ]
    for index, at in (
        marked[:-MAX_CACHE_MARKS] if mending.provider.name == "anthropic" else ()
    ):
        blocks = list(mending.entries[index].message.blocks)
        block = blocks[at]
        assert not isinstance(block, Opaque)
        blocks[at] = replace(block, extra=_without_mark(block.extra))
        mending.say(
            "cache-marks",
            mending.entries[index],
            f"carried one of more than {MAX_CACHE_MARKS} cache marks.",
        )
        mending.set_blocks(index, blocks)


def _unmark_thinking(mending: Mending) -> None:
    for index, entry in enumerate(mending.entries):
        blocks = [_unmarked(block) for block in entry.message.blocks]
        if any(map(differs, blocks, entry.message.blocks)):
            mending.say("cache-marks", entry, "carried a cache mark on thinking.")
        mending.set_blocks(index, blocks)


def _unmarked(block: Block) -> Block:
    if isinstance(block, Thinking) and _CACHE_MARK in block.extra:
        return replace(block, extra=_without_mark(block.extra))
    if not isinstance(block, Opaque) or block.kind != _REDACTED:
        return block
    is_marked = isinstance(block.raw, dict) and _CACHE_MARK in block.raw
    return replace(block, raw=_without_mark(block.raw)) if is_marked else block


def _without_mark(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {key: one for key, one in fields.items() if key != _CACHE_MARK}


def name_functions(mending: Mending) -> None:
    """Give results the name of their call, by which Gemini finds it."""
    names: dict[str, str] = {}
    for index, entry in enumerate(
        mending.entries if mending.provider.name == "gemini" else ()
    ):
        names |= {call.id: call.name for call in tool_calls(entry.message)}
        wrong = [
            one
            for one in tool_responses(entry.message)
            if names.get(one.call_id, one.name) != one.name
        ]
        if wrong:
            blocks = [
                replace(one, name=names[one.call_id])
                if isinstance(one, ToolResponse) and one in wrong
                else one
                for one in entry.message.blocks
            ]
            mending.set_blocks(index, blocks)
            mending.say(
                "function-name", entry, "answered under another name than its call's."
            )


def leave_out_unreadable_items(mending: Mending) -> None:
    for index, entry in enumerate(
        mending.entries if mending.provider.name == "responses" else ()
    ):
        blocks = [one for one in entry.message.blocks if not _is_unreadable(one)]
        if len(blocks) < len(entry.message.blocks):
            text = (
                "held an unreadable item for earlier history; it is left out, and that history "
                "with it."
            )
            mending.say("unreadable-item", entry, text)
        mending.set_blocks(index, blocks)


def _is_unreadable(block: Block) -> bool:
    return (
        isinstance(block, Opaque)
        and is_compaction_item(block)
        and not is_readable_item(block)
    )


def leave_out_repeated_items(mending: Mending) -> None:
    seen: set[str] = set()
    for index, entry in enumerate(
        mending.entries if mending.provider.name == "responses" else ()
    ):
        blocks = []
        for block in entry.message.blocks:
            id_ = item_id(block)
            if id_ and id_ in seen:
                mending.say(
                    "repeated-item",
                    entry,
                    f"used the item id {display_id(id_)} again; it is left out.",
                )
                if isinstance(block, Opaque | Thinking):
                    continue
                block = replace(
                    block,
                    extra={key: one for key, one in block.extra.items() if key != "id"},
                )
            seen.add(id_)
            blocks.append(block)
        mending.set_blocks(index, blocks)


def write_repeated_words_anew(mending: Mending) -> None:
    """Write messages without the ids of their words, where an earlier item has one of these."""
    records = mending.records
    if mending.provider.name != "responses" or records is None:
        return
    seen: set[str] = set()
    for index, entry in enumerate(mending.entries):
        ids = records.item_ids(entry.message)
        if not seen.isdisjoint(ids) or len(set(ids)) < len(ids):
            message = replace(entry.message, id="", sources=())
            mending.entries[index] = replace(entry, message=message, inserted=True)
            text = (
                "had words under an item id that was used before; they have none now."
            )
            mending.say("repeated-item", entry, text)
        seen.update(ids)


def leave_out_lone_reasoning(mending: Mending) -> None:
    """Leave out reasoning behind which the item is missing that it led to."""
    last = len(mending.entries) - 1
    for index, entry in enumerate(
        mending.entries if mending.provider.name == "responses" else ()
    ):
        blocks = list(entry.message.blocks)
        while (
            blocks
            and is_reasoning(blocks[-1])
            and entry.message.speaker is Speaker.AI
            # An agent may still write the item.
            and (index != last or mending.is_request)
        ):
            blocks.pop()
        if len(blocks) < len(entry.message.blocks):
            mending.say(
                "lone-reasoning",
                entry,
                "ended in reasoning without the item that it led to; it is left out.",
            )
        mending.set_blocks(index, blocks)


def leave_out_images(mending: Mending) -> None:
    """Leave out images that are too large, then the oldest ones, until no limit is broken or none
    is left."""
    if not mending.leaves_out_images:
        return
    messages = [entry.message for entry in mending.entries]
    history = LintedHistory(mending.provider, messages, (), (), mending.model)
    chosen: dict[int, set[int]] = defaultdict(set)
    for image in _images_over_limits(history):
        chosen[image.index].add(image.number)
    for index, numbers in sorted(chosen.items()):
        if len(numbers) == 1:
            images = "an image"
        else:
            images = f"{number_format.count(len(numbers))} images"
        mending.say(
            "images",
            mending.entries[index],
            f"held {images} over a limit, which a line replaces now.",
        )
        mending.set_blocks(index, without_images(messages[index], numbers).blocks)


def _images_over_limits(history: LintedHistory) -> list[SentImage]:
    """Return the images that must go: those too large by themselves, the oldest of too many, and
    those that are too large among so many."""
    use = media_use(history.messages)
    rows = limits_of(history)
    text_bytes = use.request_bytes - use.image_bytes
    always = [row for row in rows if not row.from_images]
    left = _within_image_limits(list(use.images), always)
    for row in rows:
        if row.per == "message":
            left = _newest_of_turns(history, left, row.most)
        elif row.per == "request":
            # The size of a request counts its texts, too; other limits count images alone.
            others = text_bytes if row.rule == "request-bytes" else 0
            left = _newest_within(left, row, others)

    # Some limits hold only from a number of images on, and now there may be fewer.
    among_many = [row for row in rows if row.from_images]
    left = _within_image_limits(left, among_many)
    stays = {id(image) for image in left}
    return [image for image in use.images if id(image) not in stays]


def _newest_of_turns(
    history: LintedHistory, images: list[SentImage], most: int
) -> list[SentImage]:
    """Return the newest images of each turn, at most so many."""
    newest: list[SentImage] = []
    for _, indices in history.turns:
        places = set(indices)
        own = [image for image in images if image.index in places]
        newest += own[-most:]
    return newest


def _newest_within(
    images: list[SentImage], row: ProviderLimit, others: int
) -> list[SentImage]:
    """Return the newest images that fit into a limit beside ``others`` bytes."""
    left = list(images)
    while left and _request_size(row, left) + others > row.most:
        del left[0]
    return left


def _within_image_limits(
    images: list[SentImage], rows: Iterable[ProviderLimit]
) -> list[SentImage]:
    own = [row for row in rows if row.per == "image" and len(images) >= row.from_images]
    return [
        image for image in images if not any(breaks_limit(image, row) for row in own)
    ]


def _request_size(row: ProviderLimit, images: list[SentImage]) -> int:
    if row.rule == "media-count":
        return len(images)
    return sum(image.bytes for image in images)
