"""The rules of providers' APIs: OpenAI's two, and Anthropic and Gemini, which treat neighbouring
messages of one side as one turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby, pairwise

from core.lint.common_rules import (
    BASE64_TEXT,
    ERROR,
    INFO,
    MISSING_IDS,
    WARNING,
    LintedHistory,
    LintFinding,
    LintProvider,
    display_id,
    is_blank,
    message_rule,
    repeated_ids,
    unknown_roles,
)
from core.lint.thinking_rules import (
    SIGNATURE,
    altered_thinking,
    bound_thinking,
    final_thinking,
    lost_signatures,
    missing_signatures,
    thinking_first,
)
from core.transcript.model import (
    Block,
    Message,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.opaque_history import COMPACTION_ITEMS

# The rules of OpenAI's two APIs: chat messages, and items of the Responses API.
#
# In chat every call is answered right after it. In Responses an output may be anywhere after its
# call, reasoning comes with the item it led to, and compaction items hold their content; calls of
# the provider's own tools do not count as calls (core.formats.openai_responses_items).


# chat


def _unexpected_result(
    history: LintedHistory, index: int, id_: str, answered: Set[str]
) -> Iterator[LintFinding]:
    if id_ in answered:
        yield history.second_result(index, id_)
    elif id_:
        yield history.orphan(index, id_)


def _late_result(
    history: LintedHistory, index: int, id_: str, other_message: int
) -> LintFinding:
    """Return what is to say of a result behind another message than calls and results."""
    # Exports write results first anyway; an order matters where the record is copied.
    other = history.name(other_message)
    is_sent = history.is_verbatim(index) and history.is_verbatim(other_message)
    must = "have to come" if is_sent else "are written"
    text = f"answers {display_id(id_)} only after {other}; results {must} first."
    return history.finding(ERROR if is_sent else INFO, "result-order", index, text)


def _chat_pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that each assistant message is directly followed by all results of its calls."""
    pending: dict[str, int] = {}
    answered: set[str] = set()
    other_message = -1
    for index, message in enumerate(history.messages):
        if message.speaker is Speaker.AI:
            yield from history.unanswered(pending, last=False)
            pending = {call.id: index for call in tool_calls(message) if call.id}
            answered = set()
            other_message = -1
            continue
        responses = [response.call_id for response in tool_responses(message)]
        for id_ in responses:
            if id_ in pending:
                answered.add(id_)
                del pending[id_]
                if other_message >= 0:
                    yield _late_result(history, index, id_, other_message)
            else:
                yield from _unexpected_result(history, index, id_, answered)
        # Only what stands between a call and its result is in the way.
        if not responses and other_message < 0:
            other_message = index
    yield from history.unanswered(pending, last=other_message < 0)


def holds_nothing(message: Message) -> bool:
    """Return whether a message has no block but thinking and texts without a character."""
    return all(
        isinstance(block, Thinking) or (isinstance(block, Text) and not block.text)
        for block in message.blocks
    )


def _empty_chat_messages(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that an assistant message has text or a call; an empty user message is only
    reported."""
    # Thinking of other APIs is not sent, so a message of it alone is empty.
    for index, message in enumerate(history.messages):
        if not holds_nothing(message):
            continue
        if message.speaker is Speaker.AI:
            # An exporter leaves it out, so it is an error only of a request that is sent as it
            # is.
            text = (
                "has neither text nor a call; OpenAI refuses it unless it is left out."
            )
            yield history.finding(WARNING, "empty-message", index, text)
        else:
            yield history.finding(INFO, "empty-content", index, "is empty.")


OPENAI = LintProvider(
    name="openai",
    label="OpenAI",
    role="role that OpenAI",
    formats=("openai_chat",),
    rules=(
        _chat_pairs,
        repeated_ids,
        unknown_roles,
        _empty_chat_messages,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
)

# Responses


def _item_pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that every output follows its call and every call has one."""
    pending: dict[str, int] = {}
    answered: set[str] = set()
    for index, message in enumerate(history.messages):
        pending |= {call.id: index for call in tool_calls(message) if call.id}
        for response in tool_responses(message):
            id_ = response.call_id
            if id_ in pending:
                del pending[id_]
                answered.add(id_)
            else:
                yield from _unexpected_result(history, index, id_, answered)
    # In Responses the output may be anywhere, so open calls are known only at the end.
    last = _last_turn(history.messages)
    for is_last in (False, True):
        unanswered = {id_: at for id_, at in pending.items() if (at >= last) is is_last}
        yield from history.unanswered(unanswered, last=is_last)


def _last_turn(messages: Sequence[Message]) -> int:
    """Return where the model's last answer begins if only tool results follow it, else the end."""
    for index in reversed(range(len(messages))):
        if messages[index].speaker is Speaker.AI:
            return index
        if messages[index].speaker is not Speaker.TOOL:
            break
    return len(messages)


def _repeated_call_ids(history: LintedHistory) -> Iterator[LintFinding]:
    """Find call ids used twice. Servers of the API have refused one that a later turn uses again:
    "Duplicate function_call_output for call_id" (NousResearch/hermes-agent#102629); OpenAI's own
    answer to it is not known."""
    for one in repeated_ids(history):
        yield replace(one, severity=WARNING) if one.severity == INFO else one


def _repeated_items(history: LintedHistory) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(history.messages):
        repeated = ""
        for id_ in _written_item_ids(history, message):
            if not repeated and id_ in seen:
                repeated = id_
            seen.setdefault(id_, index)
        if repeated:
            text = f"has the item id {display_id(repeated)} of {history.name(seen[repeated])} again."
            yield history.finding(ERROR, "duplicate-item", index, text)


def _written_item_ids(history: LintedHistory, message: Message) -> Iterator[str]:
    """Yield the ids of the items of a message: as they stand in the file those of its words, too,
    which are refused a second time like others (earendil-works/pi#5151)."""
    own = history.records.item_ids(message) if history.records is not None else []
    yield from own or item_ids(message)


def item_ids(message: Message) -> Iterator[str]:
    return filter(None, map(item_id, message.blocks))


def item_id(block: Block) -> str:
    """Return the id of the item that a block was read from, "" for none."""
    # A known item has its id among the other fields, an unknown one in its raw form.
    raw = block.raw if isinstance(block, Opaque) else block.extra
    if not isinstance(block, Opaque) or isinstance(raw, dict):
        id_ = raw.get("id")
    else:
        id_ = None
    # Texts have the id of their message, which may be sent again.
    return id_ if isinstance(id_, str) and not isinstance(block, Text) else ""


def _reasoning(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that reasoning is followed by the item it led to."""
    # An exporter leaves the reasoning out of changed answers.
    changed = {index for index, _ in history.changed}
    for index, message in enumerate(history.messages):
        if message.speaker is not Speaker.AI or index in changed:
            continue
        if not message.blocks or not is_reasoning(message.blocks[-1]):
            continue
        # An agent may still be writing, so that its last answer is no error yet.
        is_last = index == len(history.messages) - 1
        if is_last and not history.is_request:
            text = "ends in reasoning; the item that it led to is still to come."
            yield history.finding(WARNING, "open-reasoning", index, text)
        else:
            text = "ends in reasoning without the item that it led to."
            yield history.finding(ERROR, "lone-reasoning", index, text)


def is_reasoning(block: Block | None) -> bool:
    """Return whether the block is reasoning that is written; that of other APIs is left out."""
    return isinstance(block, Thinking) and bool(
        block.extra.get("id") or block.extra.get("encrypted_content")
    )


def _arguments(history: LintedHistory) -> Iterator[LintFinding]:
    for index, message in enumerate(history.messages):
        for call in filter(_is_not_json, tool_calls(message)):
            text = f"calls {call.name or 'a tool'} with arguments that are not JSON."
            yield history.finding(WARNING, "arguments", index, text)


def _is_not_json(call: ToolCall) -> bool:
    """Return whether the reader marked the arguments as not JSON; other kinds of calls take any
    text."""
    return (
        # Only a function takes JSON; a custom tool takes any text.
        isinstance(call.arguments, str)
        and call.extra.get("$arguments") == call.arguments
    )


def is_compaction_item(block: Block) -> bool:
    return isinstance(block, Opaque) and block.kind in COMPACTION_ITEMS


def is_readable_item(block: Opaque) -> bool:
    """Return whether the API can read a compaction item."""
    # Some publishers strip the content, and without it the API refuses the item.
    if isinstance(block.raw, dict):
        content = block.raw.get("encrypted_content")
    else:
        content = None
    return isinstance(content, str) and bool(content)


def _compactions(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that compaction items have content, and name answers before them, which they stand
    for."""
    speakers = (Speaker.AI, Speaker.TOOL)
    answers = (
        index
        for index, message in enumerate(history.messages)
        if message.speaker in speakers
    )
    first = next(answers, len(history.messages))
    for index, message in enumerate(history.messages):
        for block in message.blocks:
            if not isinstance(block, Opaque) or not is_compaction_item(block):
                continue
            if not is_readable_item(block):
                text = "is a compaction item whose encrypted content is missing or no text."
                yield history.finding(ERROR, "empty-compaction", index, text)
            # The provider ignores what stands before, so it is only paid for.
            if first < index:
                text = (
                    "is a compaction item with answers before it, which the API allows to be "
                    "left out."
                )
                yield history.finding(INFO, "late-compaction", index, text)


def _empty_items(history: LintedHistory) -> Iterator[LintFinding]:
    for index, message in enumerate(history.messages):
        if all(
            isinstance(block, Text) and is_blank(block.text) for block in message.blocks
        ):
            if message.speaker is Speaker.AI:
                yield history.finding(
                    WARNING, "empty-message", index, "of the assistant is empty."
                )
            else:
                yield history.finding(INFO, "empty-message", index, "is empty.")


RESPONSES = LintProvider(
    name="responses",
    label="Responses",
    role="role or type that the API",
    # Codex writes rollouts for this API alone.
    formats=("openai_responses", "codex_rollout"),
    rules=(
        _item_pairs,
        _repeated_call_ids,
        _repeated_items,
        _reasoning,
        _arguments,
        _compactions,
        unknown_roles,
        _empty_items,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
)


# The rules of Anthropic and Gemini, which treat neighbouring messages of one side as one turn.
#
# Both want the user first, results right after their calls, no blank text, and signed thinking
# unchanged.


# The API counts marks in system and tools, too, but those are not part of a history.
MAX_CACHE_MARKS = 4
"""Limit of cache_control marks in a request."""


def _unexpected_results(
    history: LintedHistory,
    indices: Iterable[int],
    pending: Mapping[str, int],
    answered: set[str],
) -> Iterator[LintFinding]:
    """Yield the results that no pending call waits for, and add all to those that were answered."""
    for index in indices:
        for response in tool_responses(history.messages[index]):
            id_ = response.call_id
            if id_ in answered:
                yield history.second_result(index, id_)
            elif id_ not in pending and id_:
                yield history.orphan(index, id_)
            answered.add(id_)


def _pairs(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that each result answers a call of the turn right before it, and that each call has
    one."""
    messages = history.messages
    pending: dict[str, int] = {}
    for by_model, indices in history.turns:
        if by_model:
            pending = {
                call.id: i
                for i in indices
                for call in tool_calls(messages[i])
                if call.id
            }
            continue
        answered: set[str] = set()
        yield from _unexpected_results(history, indices, pending, answered)
        unanswered = {
            id_: index for id_, index in pending.items() if id_ not in answered
        }
        is_last = indices is history.turns[-1][1]
        has_only_results = all(
            messages[index].speaker is Speaker.TOOL for index in indices
        )
        yield from history.unanswered(unanswered, last=has_only_results and is_last)
        # A result answers the turn right before it, so open calls do not live on.
        pending = {}
    yield from history.unanswered(pending, last=True)


def _blank_blocks(history: LintedHistory) -> Iterator[LintFinding]:
    """Find messages that say nothing and blank texts, which the API refuses."""
    label = history.api.label
    written = {index for _, indices in history.turns for index in indices}
    for index, message in enumerate(history.messages):
        if index not in written:
            noun = "messages" if history.api is ANTHROPIC else "contents"
            text = (
                f"says nothing; {label} refuses empty {noun} unless they are left out."
            )
            yield history.finding(WARNING, "empty-message", index, text)
        elif any(
            isinstance(block, Text) and is_blank(block.text) for block in message.blocks
        ):
            text = f"holds a blank text, which {label} refuses unless it is left out."
            yield history.finding(WARNING, "empty-text", index, text)


def _is_system(message: Message) -> bool:
    return message.speaker is Speaker.SYSTEM


_SYSTEM_WORDS = "is a system message inside the conversation; it is written as user."
_SYSTEM_ROLE = message_rule(INFO, "system-role", _SYSTEM_WORDS, _is_system)

# Anthropic


def _written_by_anthropic(block: Block) -> bool:
    """Return False for blank text and unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(block.extra.get("signature"))


def _assistant_first(history: LintedHistory) -> Iterator[LintFinding]:
    for by_model, indices in history.turns[:1]:
        # The API drops what is before its own block, so an answer may stand first.
        if by_model and not begins_with_compaction(history.messages[indices[0]]):
            text = "of the assistant comes first; a conversation has to begin with a user message."
            yield history.finding(ERROR, "first-role", indices[0], text)


def begins_with_compaction(message: Message) -> bool:
    """Return whether a message begins with the API's own compaction block: all before it is left
    out, so that an answer may come first."""
    if message.blocks:
        first = message.blocks[0]
    else:
        first = None
    if isinstance(first, Text):
        return first.extra.get("type") == "compaction"
    return isinstance(first, Opaque) and first.kind == "compaction"


def _result_order(history: LintedHistory) -> Iterator[LintFinding]:
    messages = history.messages
    for (_, before), (by_model, indices) in pairwise(history.turns):
        if by_model:
            continue
        calls = {call.id for index in before for call in tool_calls(messages[index])}
        # Only the first content that is no result counts.
        first_other = -1
        for index in indices:
            for block in messages[index].blocks:
                if not isinstance(block, ToolResponse):
                    if first_other < 0:
                        first_other = index
                elif first_other >= 0 and block.call_id in calls:
                    yield _late_turn_result(history, index, first_other)
                    break


def _late_turn_result(history: LintedHistory, index: int, other: int) -> LintFinding:
    """Return the finding for a result behind other content: an error where the file is the request,
    since exports and agents write results first."""
    if history.is_verbatim(index) and history.is_verbatim(other):
        text = (
            f"holds a result after {history.name(other)}; results have to come first."
        )
        return history.finding(ERROR, "result-order", index, text)
    text = f"holds a result after {history.name(other)}; results are written first."
    return history.finding(INFO, "result-order", index, text)


def _repeated_calls(history: LintedHistory) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, message in enumerate(history.messages):
        for call in tool_calls(message):
            if call.id and call.id in seen:
                text = f"uses the call id {display_id(call.id)} of {history.name(seen[call.id])} again."
                yield history.finding(ERROR, "duplicate-id", index, text)
            seen.setdefault(call.id, index)


def _empty_messages(history: LintedHistory) -> Iterator[LintFinding]:
    """Find messages without content; an empty answer at the end is harmless."""
    last = len(history.messages) - 1
    for one in _blank_blocks(history):
        is_last_answer = (
            one.index == last and history.messages[last].speaker is Speaker.AI
        )
        is_harmless = is_last_answer and one.rule == "anthropic.empty-message"
        yield replace(one, severity=INFO) if is_harmless else one


def server_part(block: Block) -> tuple[type | None, str]:
    """Return whether a block is only the call or only the result of a provider's tool, and its
    id."""
    # A block with call and result is whole by itself.
    if not isinstance(block, ServerTool) or len(block.description) != 1:
        return None, ""
    (part,) = block.description
    return type(part), part.id if isinstance(part, ToolCall) else part.call_id


def _server_parts(
    messages: Sequence[Message], indices: Iterable[int]
) -> list[tuple[int, type[Block] | None, str]]:
    return [
        (index, *server_part(block))
        for index in indices
        for block in messages[index].blocks
    ]


def _server_tools(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that calls of Anthropic's own tools have their results in the same turn."""
    for number, (by_model, indices) in enumerate(history.turns):
        parts = _server_parts(history.messages, indices)
        calls = {
            id_: index for index, kind, id_ in parts if kind is ToolCall and by_model
        }
        for index, kind, id_ in parts:
            if kind is ToolResponse and calls.pop(id_, None) is None:
                text = f"holds the result of {display_id(id_)}, which its turn does not call."
                yield history.finding(ERROR, "server-result", index, text)
        # The last turn may still wait for the provider.
        for id_, index in calls.items() if number < len(history.turns) - 1 else ():
            text = f"calls {display_id(id_)}, a tool of Anthropic, without its result."
            yield history.finding(ERROR, "server-call", index, text)


def _has_unsigned_thinking(message: Message) -> bool:
    return any(
        isinstance(one, Thinking) and not one.extra.get("signature")
        for one in message.blocks
    )


def _cache_marks(history: LintedHistory) -> Iterator[LintFinding]:
    marks = [
        index
        for index, message in enumerate(history.messages)
        for block in message.blocks
        if not isinstance(block, Opaque) and block.extra.get("cache_control")
    ]
    if len(marks) > MAX_CACHE_MARKS:
        index = marks[MAX_CACHE_MARKS]
        fifth = f"the fifth in {history.name(index)}; {MAX_CACHE_MARKS} may."
        text = f"{len(marks)} blocks carry cache_control, {fifth}"
        yield LintFinding(ERROR, "anthropic.cache-control", text, index)


_UNSIGNED_WORDS = "holds unsigned thinking; Anthropic refuses it unless it is left out."

ANTHROPIC = LintProvider(
    name="anthropic",
    label="Anthropic",
    role="role that Anthropic",
    formats=("claude_code", "anthropic_messages"),
    rules=(
        _assistant_first,
        _pairs,
        _result_order,
        _server_tools,
        _repeated_calls,
        _SYSTEM_ROLE,
        unknown_roles,
        _empty_messages,
        message_rule(
            WARNING, "unsigned-thinking", _UNSIGNED_WORDS, _has_unsigned_thinking
        ),
        altered_thinking,
        bound_thinking,
        thinking_first,
        final_thinking,
        _cache_marks,
        *MISSING_IDS,
        BASE64_TEXT,
    ),
    models=("claude",),
    is_written=_written_by_anthropic,
    signature="signature",
)

# Gemini


def _written_by_gemini(block: Block) -> bool:
    """Return False for blank text and empty unsigned thinking, which the exporter leaves out."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return not isinstance(block, Thinking) or bool(
        block.text or block.extra.get(SIGNATURE)
    )


def _model_first(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that a user's turn comes first; a function call may only follow one."""
    for by_model, indices in history.turns[:1]:
        calling = [
            index for index in indices if any(tool_calls(history.messages[index]))
        ]
        # A function call may follow a user or a result, so one at the start is refused, too.
        if by_model:
            text = "of the model comes first; the contents have to begin with a user's."
            yield history.finding(ERROR, "first-role", indices[0], text)
        if by_model and calling:
            text = "calls a function, but no user's turn or result comes before it."
            yield history.finding(ERROR, "call-order", calling[0], text)


def _function_names(history: LintedHistory) -> Iterator[LintFinding]:
    """Check the function names of results, by which Gemini finds their calls."""
    names: dict[str, str] = {}
    for index, message in enumerate(history.messages):
        names |= {call.id: call.name for call in tool_calls(message)}
        for response in tool_responses(message):
            call_name = names.get(response.call_id)
            if call_name is not None and response.name != call_name:
                shown = f"answers {display_id(response.call_id)} as {response.name!r}"
                text = f"{shown}, which was called as {call_name!r}."
                yield history.finding(ERROR, "function-name", index, text)


def _contents(history: LintedHistory, indices: Sequence[int]) -> list[list[int]]:
    """Return the messages of a turn by the content of the file that they are read from: its
    responses and its other parts are messages of their own."""

    def place(index: int) -> tuple[int, int]:
        sources = history.messages[index].sources
        return (sources[0].start, sources[0].end) if sources else (-1, index)

    return [[*own] for _, own in groupby(indices, key=place)]


def split_responses(history: LintedHistory) -> Iterator[tuple[int, int]]:
    """Yield the messages of a request whose responses stand in another content than the first of
    their turn, each with that first one.

    Gemini: "Please ensure that the number of function response parts is equal to the number of
    function call parts of the function call turn"; measured for contents one behind the other
    (vertesia/llumiverse#620, docker/docker-agent#2959)."""
    for by_model, indices in history.turns:
        if by_model:
            continue
        answering = [
            own[0]
            for own in _contents(history, indices)
            if any(tool_responses(history.messages[own[0]]))
        ]
        for index in answering[1:]:
            # What was changed is written into one content.
            if history.is_verbatim(index):
                yield index, answering[0]


def _split_responses(history: LintedHistory) -> Iterator[LintFinding]:
    for index, first in split_responses(history):
        text = f"holds a response apart from those of {history.name(first)}; all stand in one content."
        yield history.finding(ERROR, "split-responses", index, text)


def _late_responses(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that no other content stands between calls and their responses.

    Gemini: "Please ensure that function response turn comes immediately after a function call
    turn" (BerriAI/litellm#26755)."""
    for (_, before), (by_model, indices) in pairwise(history.turns):
        calls = any(any(tool_calls(history.messages[index])) for index in before)
        if by_model or not calls:
            continue
        first, *later = (own[0] for own in _contents(history, indices))
        if any(tool_responses(history.messages[first])):
            continue
        for index in later:
            answers = any(tool_responses(history.messages[index]))
            if answers and history.is_verbatim(index) and history.is_verbatim(first):
                text = f"holds a response after {history.name(first)}; responses come first."
                yield history.finding(ERROR, "result-order", index, text)


def mixed_responses(history: LintedHistory) -> Iterator[int]:
    """Yield the messages of a request that stand in one content with responses.

    Newer models of Gemini: "Requests ending with a model turn are not supported"
    (deepnoodle-ai/dive#287, langchain-ai/langchainjs#11477, agentgateway/agentgateway#2811)."""
    for by_model, indices in history.turns:
        for own in () if by_model else _contents(history, indices):
            has_responses = any(tool_responses(history.messages[own[0]]))
            if has_responses and len(own) > 1 and history.is_verbatim(own[1]):
                yield own[1]


def _mixed_responses(history: LintedHistory) -> Iterator[LintFinding]:
    for index in mixed_responses(history):
        text = (
            "stands in one content with responses, which newer models of Gemini refuse."
        )
        yield history.finding(WARNING, "mixed-responses", index, text)


def _missing_response_ids(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that a response has the id of its call where the call has one.

    Gemini 3: "Include this exact id in your functionResponse" (ai.google.dev, function calling);
    3.5 is reported to refuse others (ShinChven/remix-studio#35)."""
    named = {
        call.id
        for message in history.messages
        for call in tool_calls(message)
        if "$made_id" not in call.extra
    }
    for index, message in enumerate(history.messages):
        for response in tool_responses(message):
            if "$made_id" in response.extra and response.call_id in named:
                text = f"answers {display_id(response.call_id)} without its id."
                yield history.finding(WARNING, "missing-id", index, text)


GEMINI = LintProvider(
    name="gemini",
    label="Gemini",
    role="role that Gemini",
    formats=("gemini_cli", "gemini"),
    rules=(
        _model_first,
        _pairs,
        _function_names,
        _missing_response_ids,
        _split_responses,
        _late_responses,
        _mixed_responses,
        repeated_ids,
        _SYSTEM_ROLE,
        unknown_roles,
        _blank_blocks,
        altered_thinking,
        lost_signatures,
        missing_signatures,
        BASE64_TEXT,
    ),
    models=("gemini",),
    is_written=_written_by_gemini,
    signature=SIGNATURE,
)
