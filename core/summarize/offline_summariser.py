"""The summariser without a model: facts of the messages in the sections that the prompt asks for."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.facts.sentences import DIGEST_TITLE
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.profile import OFFLINE, OFFLINE_MODEL
from core.settings.prompts import (
    SectionStyle,
    SummaryLayout,
    summary_layout,
)
from core.summarize import summary_lines
from core.summarize.earlier_summary import message_digest, read_snapshot
from core.summarize.summary_lines import (
    SPENDING_ORDER,
    SnapshotSlot,
    TokenBudget,
    assign_slots,
    fitting_count,
    spend_budget,
)
from core.summarize.summary_request import MAX_SUMMARY_TOKENS
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Message, Progress, Speaker, Text, no_progress

EMPTY_SECTION = "None noted."
_MAX_FRAME_SHARE = 0.4  # largest share of the budget for tags or headings
_MAX_PATH_SHARE = (
    0.2  # largest share of the budget for the transcript's path (REQ-HD-012.3)
)
_EMPTY_MESSAGE = "Nothing was said in this part of the conversation."

_NEXT = re.compile(r"(?:^|[\W_])next(?:$|[\W_])", re.IGNORECASE)
_OWN_SECTION = re.compile(
    r"(?:^|[\W_])(?:current|progress|recent|active|work)(?:$|[\W_])", re.IGNORECASE
)
_STATE_LINES = (
    f"- {summary_lines.LAST_REQUEST_PREFIX}",
    f"- {summary_lines.STATE_PREFIX}",
)

_Body = Mapping[str, Sequence[str]]


class OfflineSummariser:
    """Deterministic: the same request gives the same bytes. No network, no clock, no randomness."""

    profile = OFFLINE
    model = OFFLINE_MODEL

    def __init__(
        self, count: Callable[[str], int], progress: Progress = no_progress
    ) -> None:
        """``count`` returns the tokens of a text; ``progress`` may raise Cancelled."""
        self._count = count
        self._progress = progress

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Fill the sections that the prompt asks for, in at most ``request.max_tokens`` tokens.
        ``sections`` of the response are those with content. A budget too small for any word gives
        an empty text with the finish reason "length". A request for single messages without
        sections gets a digest of each, numbered in a batch."""
        layout = summary_layout(request.prompt)
        is_of_messages = request.purpose.startswith("#")
        if is_of_messages and layout.style is SectionStyle.DIGEST:
            return self._digests(request)
        snapshot = read_snapshot(request.messages, self._progress)
        folder = summary_lines.common_folder(snapshot.facts)
        candidates = summary_lines.slot_lines(
            snapshot,
            folder,
            todos=request.todos,
            focus=request.focus,
            budget=request.max_tokens,
        )
        if folder:
            folder_line = f"{summary_lines.FOLDER_PREFIX}`{folder}`"
        else:
            folder_line = ""
        path_line = self._path_line(request)
        for tried_layout in _layouts_to_try(layout, candidates):
            outer_lines = (folder_line, path_line, _omitted_line(layout, tried_layout))
            text, sections = self._write(
                tried_layout, candidates, outer_lines, request.max_tokens
            )
            if text:
                return SummaryResponse(
                    text=text,
                    sections=sections,
                    output_tokens=self._count(text),
                    unjudged=True,
                )
        # Not even one whole line fits.
        best = next(
            (candidates[slot][0].text for slot in SPENDING_ORDER if candidates[slot]),
            _EMPTY_MESSAGE,
        )
        text = self._cut(best, request.max_tokens)
        return SummaryResponse(
            text=text,
            finish_reason="stop" if text else "length",
            output_tokens=self._count(text),
            unjudged=True,
        )

    def _path_line(self, request: SummaryRequest) -> str:
        """Return where the transcript is; "" where saying it would take too much of the room."""
        if not request.transcript:
            return ""
        line = f"{summary_lines.TRANSCRIPT_PREFIX}`{request.transcript}`"
        return "" if self._count(line) > request.max_tokens * _MAX_PATH_SHARE else line

    def _digests(self, request: SummaryRequest) -> SummaryResponse:
        """Return a digest of each message with equal shares of the budget, numbered if there are
        several."""
        is_batch = len(request.messages) > 1
        share = max(1, request.max_tokens // len(request.messages))
        messages = request.messages
        if is_batch:  # the first block of each is its number
            messages = tuple(
                replace(message, blocks=message.blocks[1:]) for message in messages
            )
        digests = [message_digest(message, share, self._count) for message in messages]
        if is_batch:
            text = "\n".join(
                f"[{number}] {digest}" for number, digest in enumerate(digests, 1)
            )
        else:
            text = digests[0]
        return SummaryResponse(
            text=text,
            finish_reason="stop" if text else "length",
            output_tokens=self._count(text),
            unjudged=True,
        )

    def _write(
        self,
        layout: SummaryLayout,
        candidates: Mapping[SnapshotSlot, Sequence[summary_lines.CandidateLine]],
        outer_lines: tuple[str, str, str],
        budget: int,
    ) -> tuple[str, tuple[str, ...]]:
        """Return the summary in one form; "" where its frame takes too much of the budget."""
        if (
            self._count(_render(layout, {}, (*outer_lines[:2], "")))
            > budget * _MAX_FRAME_SHARE
            and layout.sections
        ):
            return "", ()
        frame_tokens = self._count(_render(layout, {}, outer_lines))
        token_budget = TokenBudget(budget - frame_tokens, self._count)
        spend_budget(candidates, token_budget)
        while True:
            body = _body(layout, token_budget)
            text = _render(layout, body, outer_lines)
            excess = self._count(text) - budget
            if excess <= 0:
                if body or layout.style is not SectionStyle.DIGEST:
                    return (text, tuple(body))
                return ("", ())
            if not token_budget.refund(excess):
                return "", ()

    def _cut(self, text: str, budget: int) -> str:
        """Return the longest beginning of a text, in words, that fits."""
        words = text.split()
        count = fitting_count(
            len(words), lambda n: self._count(" ".join(words[:n])) <= budget
        )
        return " ".join(words[:count])


def _omitted_line(layout: SummaryLayout, tried: SummaryLayout) -> str:
    """Return which sections are left out; "" where none is, or where none is written."""
    omitted = [section for section in layout.sections if section not in tried.sections]
    if not omitted or not tried.sections:
        return ""
    return f"{summary_lines.EMPTY_SECTIONS_PREFIX}{', '.join(omitted)}."


def _layouts_to_try(
    layout: SummaryLayout,
    candidates: Mapping[SnapshotSlot, Sequence[summary_lines.CandidateLine]],
) -> Sequence[SummaryLayout]:
    """Return the layouts to try, fullest first: all sections, those with content, none."""
    by_slot = assign_slots(layout.sections)
    filled = {section for slot, section in by_slot.items() if candidates[slot]}
    filled_sections = tuple(section for section in layout.sections if section in filled)
    digest_layout = SummaryLayout(SectionStyle.DIGEST, ())
    titles = tuple(slot.title for slot in SnapshotSlot if candidates[slot])
    if layout.style is SectionStyle.DIGEST:
        return (SummaryLayout(SectionStyle.DIGEST, titles), digest_layout)
    if filled_sections:
        return (
            layout,
            SummaryLayout(layout.style, filled_sections, layout.wrapper),
            digest_layout,
        )
    return (layout, digest_layout)


def _body(layout: SummaryLayout, token_budget: TokenBudget) -> _Body:
    """Return the lines by section, in the order of the sections, the slots and the conversation."""
    digest = layout.style is SectionStyle.DIGEST
    by_slot = (
        {slot: slot.title for slot in SnapshotSlot}
        if digest
        else assign_slots(layout.sections)
    )
    body: dict[str, list[str]] = {section: [] for section in layout.sections}
    slot_order = {slot: index for index, slot in enumerate(SnapshotSlot)}
    for slot, line in sorted(
        token_budget.selected, key=lambda pair: (slot_order[pair[0]], pair[1].order)
    ):
        body.setdefault(by_slot[slot], []).append(line.text)
    if not digest:
        _move_state_lines(body, by_slot[SnapshotSlot.CURRENT])
    return {section: texts for section, texts in body.items() if texts}


def _move_state_lines(body: dict[str, list[str]], current: str) -> None:
    """Move the state of the work to an empty section about next steps, unless it has its own
    section."""
    next_section = next((name for name in body if _NEXT.search(name)), "")
    if not next_section or body[next_section] or _OWN_SECTION.search(current):
        return
    body[next_section] = [
        line for line in body[current] if line.startswith(_STATE_LINES)
    ]
    body[current] = [
        line for line in body[current] if not line.startswith(_STATE_LINES)
    ]


def _render(
    layout: SummaryLayout, body: _Body, outer_lines: tuple[str, str, str]
) -> str:
    """Return the text of a summary: its lines in tags, under headings, or bare."""
    folder, transcript, empty = outer_lines
    parts: list[str] = []
    if layout.style is SectionStyle.DIGEST:
        parts += [DIGEST_TITLE, folder]
        for section, texts in body.items():
            parts += [f"{section}:" if layout.sections else "", *texts]
        return "\n".join(filter(None, (*parts, transcript)))
    for number, section in enumerate(layout.sections, 1):
        texts = body.get(section, (EMPTY_SECTION,))
        parts += _section_lines(layout.style, number, section, texts)
    last_lines = [line for line in (empty, folder, transcript) if line]
    if layout.wrapper:
        return "\n".join(
            (f"<{layout.wrapper}>", *parts, *last_lines, f"</{layout.wrapper}>")
        )
    if layout.style is SectionStyle.XML:
        first_lines = []
    else:
        first_lines = [DIGEST_TITLE, ""]
    return "\n".join((*first_lines, *parts, *last_lines))


def _section_lines(
    style: SectionStyle, number: int, section: str, texts: Sequence[str]
) -> list[str]:
    if style is SectionStyle.XML:
        return [f"<{section}>", *texts, f"</{section}>"]
    return [
        f"{number}. {section}:" if style is SectionStyle.NUMBERED else f"## {section}",
        *texts,
        "",
    ]


# The offline summariser, which calls no model, as a provider of litellm named
# ``embedded/snapshot``.


PROVIDER, MODEL = "embedded", "snapshot"

_REQUEST_TAGS = re.compile(
    r"</?(?:transcript|tool_call|tool_result|system_note)_[0-9a-f]{6,64}[^>\n]*>"
)
"""Tags of a flattened request, which the offline summariser would mistake for sections."""
_SPEAKERS = {"assistant": Speaker.AI, "tool": Speaker.TOOL}


def register_provider(litellm: Json) -> None:
    """Register the provider with the loaded litellm module, once."""
    if any(row["provider"] == PROVIDER for row in litellm.custom_provider_map):
        return
    counter = counter_for("")

    def answer(**call: Json) -> Json:
        return _response(litellm, counter, call)

    async def answer_async(**call: Json) -> Json:
        return answer(**call)

    def stream(**call: Json) -> Iterator[Json]:
        yield _chunk(answer(**call))

    async def stream_async(**call: Json) -> AsyncIterator[Json]:
        yield _chunk(answer(**call))

    methods = {
        "completion": answer,
        "acompletion": answer_async,
        "streaming": stream,
        "astreaming": stream_async,
    }
    handler = type(
        "Embedded",
        (litellm.CustomLLM,),
        {name: staticmethod(method) for name, method in methods.items()},
    )
    litellm.custom_provider_map.append(
        {"provider": PROVIDER, "custom_handler": handler()}
    )
    litellm.utils.custom_llm_setup()


def parse_request(
    messages: Sequence[Mapping[str, Json]], max_tokens: int
) -> SummaryRequest:
    """Return the request in chat messages: system texts are the prompt, the others the history."""
    prompt = "\n\n".join(
        _content(chat_message)
        for chat_message in messages
        if chat_message["role"] == "system"
    )
    history = tuple(
        Message(
            speaker=_SPEAKERS.get(chat_message["role"], Speaker.HUMAN),
            blocks=(Text(_content(chat_message)),),
        )
        for chat_message in messages
        if chat_message["role"] != "system"
    )
    return SummaryRequest(
        prompt=prompt,
        messages=history,
        indices=tuple(range(len(history))),
        trigger="",
        max_tokens=max_tokens,
    )


def _content(message: Mapping[str, Json]) -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(
            part.get("text", "") for part in content if isinstance(part, Mapping)
        )
    return _REQUEST_TAGS.sub("", content)


def _response(litellm: Json, counter: TokenCounter, call: Mapping[str, Json]) -> Json:
    budget = (call.get("optional_params") or {}).get("max_tokens") or MAX_SUMMARY_TOKENS
    request = parse_request(call["messages"], min(int(budget), MAX_SUMMARY_TOKENS))
    summary = OfflineSummariser(counter.text).summarise(request)
    input_tokens = counter.text(request.prompt) + counter.messages(request.messages)
    output_tokens = summary.output_tokens or 0
    message = {"role": "assistant", "content": summary.text}
    return litellm.ModelResponse(
        model=call["model"],
        choices=[
            {"index": 0, "finish_reason": summary.finish_reason, "message": message}
        ],
        usage=litellm.Usage(
            prompt_tokens=input_tokens,
            completion_tokens=output_tokens,
            total_tokens=input_tokens + output_tokens,
        ),
    )


def _chunk(response: Json) -> Json:
    """Return a whole answer as the single chunk of a stream."""
    choice, usage = response.choices[0], response.usage
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return {
        "text": choice.message.content,
        "index": 0,
        "finish_reason": choice.finish_reason,
        "is_finished": True,
        "tool_use": None,
        "usage": {name: getattr(usage, name) for name in names},
    }
