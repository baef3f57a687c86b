"""Mends a history that a provider refuses, and says each change. Nothing else changes: a history in
order stays the same, and what was mended is in order."""

from __future__ import annotations

from collections.abc import Sequence

from core.lint.common_rules import UNKNOWN_MODEL, RequestModel
from core.lint.lint import find_provider
from core.lint.repair.content import (
    begin_with_the_person,
    join_server_tools,
    leave_out_empty,
    leave_out_harness_rows,
    leave_out_images,
    leave_out_lone_reasoning,
    leave_out_repeated_items,
    leave_out_unreadable_items,
    leave_out_unsigned_thinking,
    limit_cache_marks,
    name_functions,
)
from core.lint.repair.mending import Mending, Repair, RepairChange, RepairRule
from core.lint.repair.results import (
    leave_out_copies,
    place_results,
    rename_repeated_ids,
    write_made_ids,
)
from core.lint.repair.written import (
    give_to_the_person,
    mend_media,
    put_results_first,
    rename_unfit,
    write_anew,
    write_objects,
)
from core.lint.request_records import RequestRecords
from core.strategies.draft import DraftEntry
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import LostParent, Message

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
    for rule in RULES:
        before = list(mending.entries)
        rule.apply(mending)
        mending.remove_hollow(before)
    return Repair(
        _compaction(messages, mending), tuple(sorted(mending.changes, key=lambda one: one.index))
    )


def _compaction(messages: Sequence[Message], mending: Mending) -> Compaction:
    entries = mending.entries
    kept = {index: entry.message for entry in entries for index in entry.origins}
    reasons: dict[int, list[RepairChange]] = {}
    for change in mending.changes:
        reasons.setdefault(change.index, []).append(change)
    fates = []
    for index, message in enumerate(messages):
        still_there = FateKind.KEPT if kept.get(index) is message else FateKind.EDITED
        kind = still_there if index in kept else FateKind.DROPPED
        steps = tuple(
            FateStep(f"{_NAME} {one.rule}", kind, one.reason) for one in reasons.get(index, ())
        )
        fates.append(Fate(steps) if steps else _KEPT)
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
        text = f"Lines that are no whole record are left out ({dropped:,})."
        mending.changes.append(RepairChange(WHOLE_RECORDS, -1, text))


RULES: tuple[RepairRule, ...] = (
    RepairRule(
        "whole-records",
        "Bytes that are not UTF-8, half a line, words between the lines.",
        "Written as they were read; what is no whole record is left out.",
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
        "The copy goes.",
        "Anthropic: each tool_use must have a single result",
        leave_out_copies,
    ),
    RepairRule(
        "misplaced-result",
        (
            "A result in front of its call, in a later turn, without a call, or a call without "
            "a result."
        ),
        "Moved behind its call; kept as a note of the person; answered with an error that says so.",
        "Anthropic: unexpected tool_use_id; tool_use ids were found without tool_result blocks. "
        "OpenAI: tool messages must follow tool_calls",
        place_results,
    ),
    RepairRule(
        "result-order",
        "A result behind other content of the message after its call.",
        "Results come first.",
        "Anthropic: messages following tool_use blocks must begin with tool_result blocks",
        put_results_first,
    ),
    RepairRule(
        "server-tool",
        (
            "A call of the provider's own tool and its result in different turns, or one "
            "without the other."
        ),
        "Joined; without a partner both become text.",
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
        "unreadable-item",
        "A compaction item whose encrypted content is missing or no text.",
        "Left out, and said: the history that it stood for is lost.",
        "OpenAI: invalid type for encrypted_content",
        leave_out_unreadable_items,
    ),
    RepairRule(
        "repeated-item",
        "The id of an item that was used before.",
        "A copy of reasoning or of an opaque item goes, others lose the id.",
        "OpenAI: duplicate item found with id",
        leave_out_repeated_items,
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
        "A line stands there; one that says another type than it is gets its own.",
        "core/lint/schemas",
        mend_media,
    ),
    RepairRule(
        "unfit-role",
        "A message of the system, or of a role that nobody knows, inside the conversation.",
        "It becomes one of the person.",
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
        "A short message of the person in front.",
        "Anthropic: first message must use the user role",
        begin_with_the_person,
    ),
    RepairRule(
        "cache-marks",
        "More cache marks than a request may have.",
        "The earliest ones go.",
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
        "With --images oldest those that are too large, then the oldest, become a line.",
        "core/lint/provider_limits.toml",
        leave_out_images,
    ),
)
"""In the order in which they are applied."""
