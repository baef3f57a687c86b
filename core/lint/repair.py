"""Mends a history that a provider refuses, and says each change. Nothing else changes: a history in
order stays the same, and what was mended is in order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.lint.common_rules import UNKNOWN_MODEL, RequestModel
from core.lint.fitting import MADE_ID, fitting
from core.lint.lint import find_provider
from core.lint.provider_limits import with_mended_media
from core.lint.repair_content import (
    Mending,
    Repair,
    RepairChange,
    RepairRule,
    begin_with_the_person,
    join_server_tools,
    leave_out_empty,
    leave_out_harness_rows,
    leave_out_images,
    leave_out_lone_reasoning,
    leave_out_repeated_items,
    leave_out_unreadable_items,
    limit_cache_marks,
    name_functions,
    write_repeated_words_anew,
)
from core.lint.repair_results import (
    join_responses,
    leave_out_copies,
    place_results,
    rename_repeated_ids,
    write_made_ids,
)
from core.lint.repair_thinking import (
    begin_with_thinking,
    leave_out_final_thinking,
    leave_out_unsigned_thinking,
    sign_calls,
)
from core.lint.request_records import RequestRecords
from core.lint.thinking_rules import is_thought
from core.strategies.draft import DraftEntry
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import (
    Block,
    LostParent,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_text, json_text

_TEXT_ARGUMENTS = ("$object", "$arguments")
"""Notes of readers on the shape of arguments in the file, which is not to be written again."""


def rename_unfit(mending: Mending) -> None:
    """Give calls and tools an id and a name that the provider takes, in both halves of a pair."""
    messages = [entry.message for entry in mending.entries]
    fit = fitting(messages, (), mending.provider.name)
    # A file of an agent is not sent as it is; its agent writes fitting names itself.
    is_needed = mending.is_sent and (fit.ids or fit.names)
    for index, message in enumerate(messages if is_needed else ()):
        before = [
            one for one in message.blocks if isinstance(one, ToolCall | ToolResponse)
        ]
        if any(_id_of(one) in fit.ids or one.name in fit.names for one in before):
            entry = mending.entries[index]
            mending.set_blocks(
                index, _renamed(message.blocks, fit.message(message).blocks)
            )
            text = "had an id or a name that the API refuses; it has another one now."
            mending.say("unfit-name", entry, text)


def _renamed(old: Sequence[Block], new: Sequence[Block]) -> Iterator[Block]:
    """Yield the new calls and results; images are left to the rule for them."""
    for before, after in zip(old, new, strict=True):
        yield after if isinstance(after, ToolCall | ToolResponse) else before


def _id_of(block: ToolCall | ToolResponse) -> str:
    return block.id if isinstance(block, ToolCall) else block.call_id


def mend_media(mending: Mending) -> None:
    """Leave out images with broken base64, of a type or at a place that the provider does not take;
    give others the type that they are."""
    messages = [entry.message for entry in mending.entries]
    fit = fitting(messages, (), mending.provider.name)
    for index, message in enumerate(messages if mending.is_sent else ()):
        changed = with_mended_media(message, mending.provider.name)
        # Other changes of the fitting are those of another rule, which says them.
        blocks = [
            new if isinstance(new, Text) and not isinstance(old, Text) else old
            for new, old in zip(
                fit.message(changed).blocks, changed.blocks, strict=True
            )
        ]
        if changed is not message or any(
            new is not old for new, old in zip(blocks, message.blocks, strict=True)
        ):
            entry = mending.entries[index]
            mending.set_blocks(index, blocks)
            text = "held an image that the API refuses; its type was corrected, or a line replaces it."
            mending.say("unfit-image", entry, text)


def write_objects(mending: Mending) -> None:
    """Give calls the kind of arguments that the provider wants: an object, which OpenAI's APIs take
    as a text of JSON."""
    for index, entry in enumerate(mending.entries if mending.is_sent else ()):
        blocks = [_with_object(block, mending) for block in entry.message.blocks]
        if any(
            new is not old
            for new, old in zip(blocks, entry.message.blocks, strict=True)
        ):
            mending.set_blocks(index, blocks)
            text = "called a tool with an input of another kind; it is an object now."
            mending.say("call-input", entry, text)


def _with_object(block: Block, mending: Mending) -> Block:
    if not isinstance(block, ToolCall) or block.arguments is MISSING:
        return block
    # The APIs that join turns take objects, OpenAI's take text.
    if mending.joins_turns:
        is_object = isinstance(block.arguments, dict)
        if is_object:
            return block
        return replace(block, arguments=_object(block.arguments))
    if "$object" not in block.extra:
        return block
    extra = {
        key: value for key, value in block.extra.items() if key not in _TEXT_ARGUMENTS
    }
    return replace(block, extra=extra)


def _object(arguments: Json) -> Json:
    if arguments is None:
        return {}
    try:
        if isinstance(arguments, str):
            value = json.loads(arguments)
        else:
            value = arguments
    except (ValueError, RecursionError):
        value = arguments
    if isinstance(value, dict):
        return value
    # A text that is no JSON is kept whole under a name of its own.
    return {"arguments": arguments}


def give_to_the_person(mending: Mending) -> None:
    """Make messages of the system inside a history those of the person, where the provider takes
    none there."""
    # An agent keeps such rows for itself and sends them as it likes.
    if not (mending.joins_turns and mending.is_request and mending.is_sent):
        return
    for index, entry in enumerate(mending.entries):
        if entry.message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
            message = replace(entry.message, speaker=Speaker.HUMAN)
            mending.entries[index] = replace(entry, message=message)
            mending.say(
                "unfit-role",
                entry,
                "had a role that the API refuses; it is a user's now.",
            )


def write_anew(mending: Mending) -> None:
    """Write messages anew that the schema still refuses as they are."""
    records = mending.records if mending.is_sent else None
    for index, entry in enumerate(list(mending.entries) if records is not None else ()):
        assert records is not None
        # A record that was split is judged with its first part, so a call may hide behind it.
        is_answer = entry.message.speaker is Speaker.AI
        if not is_answer and any(map(_is_models_own, entry.message.blocks)):
            reason = "held a call or thinking, which only the model can; it is text or gone now."
        elif faults := records.faults(entry.message):
            # Only where it helps: writing anew loses notes that the source had.
            if len(records.faults(_fresh(entry.message))) >= len(faults):
                continue
            reason = faults[0].text
        else:
            continue
        message = _fresh(entry.message)
        mending.entries[index] = replace(entry, message=message, inserted=True)
        mending.say("written-anew", entry, reason)


def _is_models_own(block: Block) -> bool:
    return isinstance(block, ToolCall) or is_thought(block)


def _fresh(message: Message) -> Message:
    """Return the message as if another format had held it: without notes on how it was written."""
    is_answer = message.speaker is Speaker.AI
    blocks = [
        new for block in message.blocks for new in _fresh_blocks(block, is_answer)
    ]
    known = (Speaker.AI, Speaker.TOOL, Speaker.HUMAN)
    speaker = message.speaker if message.speaker in known else Speaker.HUMAN
    return Message(speaker=speaker, blocks=tuple(blocks), timestamp=message.timestamp)


def _fresh_blocks(block: Block, is_answer: bool) -> Iterator[Block]:
    match block:
        case Text(text=text):
            yield Text(text)
        case ToolCall() if is_answer:
            yield replace(block, extra=_id_note(block))
        case ToolCall():
            # A call of the person has no place in an API, its words have.
            yield Text(f"[{block.name} was called: {json_text(block.arguments)}]")
        case ToolResponse() if not isinstance(block.result, str | list):
            text = answer_text(block) or json_text(block.result)
            yield replace(block, result=text, extra=_id_note(block))
        case ToolResponse():
            yield replace(block, extra=_id_note(block))
        # Reasoning of a user is refused everywhere.
        case Thinking():
            if is_answer:
                yield block
        case Opaque(raw=raw):
            yield from _words_of(raw)
        case _:
            yield block


def _id_note(block: ToolCall | ToolResponse) -> dict[str, Json]:
    """Return the note that an id is none of the file, which is not to be written."""
    return {MADE_ID: block.extra[MADE_ID]} if MADE_ID in block.extra else {}


def _words_of(raw: Json) -> Iterator[Text]:
    words = raw.get("text") if isinstance(raw, dict) else raw
    if isinstance(words, str):
        yield Text(words)


def put_results_first(mending: Mending) -> None:
    """Put results in front of the other content behind their calls, where the file is a request; an
    agent and the exports do that themselves."""
    # In Responses the order is free.
    if not mending.is_request or mending.provider.name == "responses":
        return
    for by_model, indices in mending.turns():
        if by_model or not _has_late_result(mending, indices):
            continue
        at = range(indices[0], indices[-1] + 1)
        mended = sorted(
            (_results_first(mending, index) for index in at), key=_is_without_result
        )
        mending.entries[at.start : at.stop] = mended


def _has_late_result(mending: Mending, indices: Sequence[int]) -> bool:
    """Return whether other content of a turn stands in front of a result, in the list or in the
    record of the file."""
    seen_other = False
    for index in indices:
        message = mending.entries[index].message
        # The reader splits such a record, so that only the raw one shows the order.
        if mending.records is not None and any(
            one.rule == "result-order" for one in mending.records.faults(message)
        ):
            return True
        for block in message.blocks:
            if isinstance(block, ToolResponse) and seen_other:
                return True
            seen_other = seen_other or not isinstance(block, ToolResponse)
    return False


def _results_first(mending: Mending, index: int) -> DraftEntry:
    entry = mending.entries[index]
    if not any(isinstance(one, ToolResponse) for one in entry.message.blocks):
        return entry
    text = "held a result after other content; results come first."
    mending.say("result-order", entry, text, moves=True)
    blocks = sorted(
        entry.message.blocks, key=lambda one: not isinstance(one, ToolResponse)
    )
    # the note makes it another message, so that its record is not copied as it is
    extra = {**entry.message.extra, "$order": "results first"}
    return replace(
        entry, message=replace(entry.message, blocks=tuple(blocks), extra=extra)
    )


def _is_without_result(entry: DraftEntry) -> bool:
    return not any(isinstance(one, ToolResponse) for one in entry.message.blocks)


_NAME = "repair"
LOST_PARENT, WHOLE_RECORDS = "lost-parent", "whole-records"
FILE_RULES = (LOST_PARENT, WHOLE_RECORDS)
"""Rules for faults of the file, which the writer mends; the messages stay as they are."""
_LINKED = ": it follows the row before it now."
_KEPT = Fate((FateStep("kept", FateKind.KEPT, "It was in order."),))


def repair_messages(
    messages: Sequence[Message],
    provider: str,
    *,
    is_request: bool = True,
    model: RequestModel = UNKNOWN_MODEL,
    leaves_out_images: bool = False,
    lost_parents: Sequence[LostParent] = (),
    records: RequestRecords | None = None,
    is_sent: bool = True,
    damage: tuple[int, int] = (0, 0),
) -> Repair:
    """Return the history as the provider takes it, and the changes. Deterministic; mending twice
    changes nothing more. Open calls at the end stay: the agent may still answer them. With
    ``leaves_out_images`` those over a limit for ``model`` become a line. The writer links the
    ``lost_parents`` again; here they are said. Raises InputError for an
    unknown provider."""
    entries = [DraftEntry(message, (index,)) for index, message in enumerate(messages)]
    mending = Mending(
        provider=find_provider(provider),
        entries=entries,
        is_request=is_request,
        model=model,
        leaves_out_images=leaves_out_images,
        lost_parents=lost_parents,
        records=records,
        is_sent=is_sent,
        damage=damage,
    )
    # Each rule may leave messages empty that a later one must not see.
    for rule in RULES:
        before = list(mending.entries)
        rule.apply(mending)
        mending.remove_hollow(before)
    return Repair(
        _compaction(messages, mending),
        tuple(sorted(mending.changes, key=lambda one: one.index)),
    )


def _fate(
    message: Message, mended: Message | None, reasons: Sequence[RepairChange]
) -> Fate:
    if mended is None:
        kind = FateKind.DROPPED
    elif mended is message:
        kind = FateKind.KEPT
    else:
        kind = FateKind.EDITED
    steps = tuple(FateStep(f"{_NAME} {one.rule}", kind, one.reason) for one in reasons)
    return Fate(steps) if steps else _KEPT


def _compaction(messages: Sequence[Message], mending: Mending) -> Compaction:
    entries = mending.entries
    kept = {index: entry.message for entry in entries for index in entry.origins}
    reasons: dict[int, list[RepairChange]] = {}
    for change in mending.changes:
        reasons.setdefault(change.index, []).append(change)
    fates = [
        _fate(message, kept.get(index), reasons.get(index, ()))
        for index, message in enumerate(messages)
    ]
    return Compaction(
        messages=tuple(entry.message for entry in entries),
        origins=tuple(entry.origins for entry in entries),
        fates=tuple(fates),
        metadata=CompactionMetadata(
            original_message_count=len(messages),
            compressed_message_count=len(entries),
            strategy_used=_NAME,
            llm_call_made=False,
        ),
        inserted=frozenset(
            result_index for result_index, entry in enumerate(entries) if entry.inserted
        ),
    )


def _link_lost_parents(mending: Mending) -> None:
    lines = {lost.line: lost for lost in mending.lost_parents}
    for entry in mending.entries if lines else ():
        for source in entry.message.sources:
            if lost := lines.pop(source.line, None):
                mending.say(LOST_PARENT, entry, f"{lost.text}{_LINKED}")
    # A lost parent may be on a line that is no message.
    for lost in lines.values():
        reason = f"Line {lost.line:,} {lost.text}{_LINKED}"
        mending.changes.append(RepairChange(LOST_PARENT, -1, reason))


def _say_damage(mending: Mending) -> None:
    """Say what of the file is not copied as it is; the writer does it."""
    mended, dropped = mending.damage
    if mended:
        text = f"Damaged records are written as they were read ({mended:,})."
        mending.changes.append(RepairChange(WHOLE_RECORDS, -1, text))
    if dropped:
        text = f"Lines that are not a whole record are left out ({dropped:,})."
        mending.changes.append(RepairChange(WHOLE_RECORDS, -1, text))


def mend_repeated_items(mending: Mending) -> None:
    leave_out_repeated_items(mending)
    write_repeated_words_anew(mending)


RULES: tuple[RepairRule, ...] = (
    RepairRule(
        "whole-records",
        "Bytes that are not UTF-8, half a line, words between the lines.",
        "They are written as read; incomplete records are left out.",
        "JSON, RFC 8259: text exchanged between systems must be UTF-8",
        _say_damage,
    ),
    RepairRule(
        LOST_PARENT,
        "A row that follows one that is not in the file.",
        "It follows the row before it.",
        "Claude Code, Pi and Factory Droid resume only what hangs together",
        _link_lost_parents,
    ),
    RepairRule(
        "harness-row",
        "A row of the agent that no API takes.",
        "Left out of requests.",
        "Claude Code: isApiErrorMessage",
        leave_out_harness_rows,
    ),
    RepairRule(
        "missing-id",
        "A call or result without an id.",
        "It gets one.",
        "Anthropic: tool_use.id is required",
        write_made_ids,
    ),
    RepairRule(
        "unfit-name",
        "An id of a call or a name of a tool that the API refuses.",
        "Both halves of the pair get another one.",
        "core/lint/schemas (tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$')",
        rename_unfit,
    ),
    RepairRule(
        "repeated-id",
        "A call id that was used before.",
        "The later call and its result get a new id.",
        "Anthropic: tool_use ids must be unique",
        rename_repeated_ids,
    ),
    RepairRule(
        "copied-result",
        "A result that stands there twice.",
        "The copy is removed.",
        "Anthropic: each tool_use must have a single result",
        leave_out_copies,
    ),
    RepairRule(
        "misplaced-result",
        (
            "A result in front of its call, in a later turn, without a call, or a call without "
            "a result."
        ),
        "Moved after its call; kept as a note of the person; answered with an error that says so.",
        "Anthropic: unexpected tool_use_id; tool_use ids were found without tool_result blocks. "
        "OpenAI: tool messages must follow tool_calls",
        place_results,
    ),
    RepairRule(
        "result-order",
        "A result after other content of the message that follows its call.",
        "Results come first.",
        "Anthropic: messages following tool_use blocks must begin with tool_result blocks",
        put_results_first,
    ),
    RepairRule(
        "split-responses",
        "Responses of a turn in several contents, or other parts beside them.",
        "Responses stand in one content, other parts in the next.",
        "Gemini: the number of function response parts is equal to the number of function call "
        "parts of the function call turn; vertesia/llumiverse#620, deepnoodle-ai/dive#287",
        join_responses,
    ),
    RepairRule(
        "server-tool",
        (
            "A call of the provider's own tool and its result in different turns, or one "
            "without the other."
        ),
        "They are joined; one without the other becomes text.",
        "Anthropic: server_tool_use without a result block",
        join_server_tools,
    ),
    RepairRule(
        "unsigned-thinking",
        "Thinking without a signature.",
        "All thinking of its turn is left out.",
        "Anthropic: thinking blocks cannot be modified",
        leave_out_unsigned_thinking,
    ),
    RepairRule(
        "final-thinking",
        "An answer that ends in thinking.",
        "Left out.",
        "Anthropic: the final block in an assistant message cannot be thinking; Claude Code "
        "removes it, too",
        leave_out_final_thinking,
    ),
    RepairRule(
        "thinking-first",
        "An answer that thinks only after other content; tool calls that began without thinking.",
        "The thinking comes first; without any, two short messages begin a new turn.",
        "Anthropic: if an assistant message contains any thinking blocks, the first block must be "
        "thinking; a final assistant message must start with a thinking block",
        begin_with_thinking,
    ),
    RepairRule(
        "missing-signature",
        "A call without the thought signature that Gemini 3 wants back.",
        "It gets the signature for calls that Gemini did not make.",
        "Gemini: the first functionCall part in each step of the current turn must include its "
        "thought_signature",
        sign_calls,
    ),
    RepairRule(
        "unreadable-item",
        "A compaction item whose encrypted content is missing or no text.",
        "It is left out, and the history that it stood for is lost.",
        "OpenAI: invalid type for encrypted_content",
        leave_out_unreadable_items,
    ),
    RepairRule(
        "repeated-item",
        "The id of an item that was used before.",
        "A copy of reasoning or of an opaque item goes, others lose the id.",
        "OpenAI: duplicate item found with id",
        mend_repeated_items,
    ),
    RepairRule(
        "lone-reasoning",
        "Reasoning without the item that it led to.",
        "Left out.",
        "OpenAI: item of type reasoning was provided without its required following item",
        leave_out_lone_reasoning,
    ),
    RepairRule(
        "call-input",
        "A call whose input is a text, a list or nothing.",
        "It becomes an object.",
        "core/lint/schemas (tool_use.input: Input should be a valid dictionary)",
        write_objects,
    ),
    RepairRule(
        "unfit-image",
        "An image with broken base64, of a type or at a place that the API does not take.",
        "A line replaces it; a wrong type of an image is corrected.",
        "core/lint/schemas",
        mend_media,
    ),
    RepairRule(
        "unfit-role",
        "A message of the system, or of a role that nobody knows, inside the conversation.",
        "It becomes a message of the person.",
        "core/lint/schemas",
        give_to_the_person,
    ),
    RepairRule(
        "written-anew",
        "Anything else that the schema of the API refuses.",
        "The message is written anew, without what the API has no place for.",
        "core/lint/schemas",
        write_anew,
    ),
    RepairRule(
        "empty",
        "A blank text or a message that says nothing.",
        "Left out.",
        "Anthropic: text content blocks must be non-empty",
        leave_out_empty,
    ),
    RepairRule(
        "first-role",
        "The model speaks first.",
        "A short message of the person is put in front.",
        "Anthropic: first message must use the user role",
        begin_with_the_person,
    ),
    RepairRule(
        "cache-marks",
        "More cache marks than a request may have.",
        "The earliest are removed.",
        "Anthropic: at most 4 blocks with cache_control",
        limit_cache_marks,
    ),
    RepairRule(
        "function-name",
        "A result under another name than its call's.",
        "It gets the name of the call.",
        "Gemini: function response parts match the calls",
        name_functions,
    ),
    RepairRule(
        "images",
        "Images over a limit of the provider.",
        "With --images oldest, a line replaces those that are too large, then the oldest.",
        "core/lint/provider_limits.toml",
        leave_out_images,
    ),
)
"""In the order in which they are applied."""
