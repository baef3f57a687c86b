"""The summariser without a model: facts of the messages in the sections that the prompt asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from core.facts import FactExtractor, Facts, extract_facts
from core.facts.sentences import DIGEST_TITLE, is_summary, plain_text
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.profile import OFFLINE, OFFLINE_MODEL
from core.settings.prompts import SectionStyle, SummaryLayout, summary_layout
from core.summarize import fact_lines, previous_summary
from core.summarize.message_digest import message_digest
from core.summarize.message_record import recorded_messages
from core.summarize.summary_sections import SPENDING, SnapshotSlot, assign_slots
from core.summarize.token_budget import TokenBudget, spend_budget
from core.transcript.model import Message, Progress, no_progress

_EMPTY_SECTION = "None noted."
_MAX_FRAME_SHARE = 0.35  # largest share of the budget for tags or headings
_MAX_PATH_SHARE = 0.2  # largest share of the budget for the transcript's path (REQ-HD-012.3)
_EMPTY_MESSAGE = "Nothing was said in this part of the conversation."

_NEXT = re.compile(r"(?:^|[\W_])next(?:$|[\W_])", re.IGNORECASE)
_OWN_SECTION = re.compile(r"(?:^|[\W_])(?:current|progress|recent|active|work)(?:$|[\W_])", re.IGNORECASE)
_STATE_LINES = (f"- {fact_lines.LAST_REQUEST}", f"- {fact_lines.STOOD}")

_Body = Mapping[str, Sequence[str]]


class OfflineSummariser:
    """Deterministic: the same request gives the same bytes. No network, no clock, no randomness."""

    profile = OFFLINE
    model = OFFLINE_MODEL

    def __init__(self, count: Callable[[str], int], progress: Progress = no_progress) -> None:
        """``count`` returns the tokens of a text; ``progress`` may raise Cancelled."""
        self._count = count
        self._progress = progress

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Fill the sections that the prompt asks for, in at most ``request.max_tokens`` tokens.

        ``sections`` of the response are those with content. A budget too small for any word gives an empty
        text with the finish reason "length". A request for single messages without sections gets a digest of
        each, numbered in a batch.
        """
        if request.purpose.startswith("#") and summary_layout(request.prompt).style is SectionStyle.DIGEST:
            return self._digests(request)
        facts = read(request.messages, self._progress)
        folder = fact_lines.common_folder(facts)
        candidates = fact_lines.slot_lines(
            facts, folder, todos=request.todos, focus=request.focus, budget=request.max_tokens
        )
        ends = _ends(folder, request.transcript)
        if self._count(ends[1]) > request.max_tokens * _MAX_PATH_SHARE:
            ends = (ends[0], "")
        layout = summary_layout(request.prompt)
        for form in _forms(layout, candidates):
            closing = (*ends, _empty_sections_line(layout, form))
            text, sections = self._write(form, candidates, closing, request.max_tokens)
            if text:
                return SummaryResponse(text, sections=sections, output_tokens=self._count(text))
        text = self._cut(_best_line(candidates), request.max_tokens)
        return SummaryResponse(text, "stop" if text else "length", output_tokens=self._count(text))

    def _digests(self, request: SummaryRequest) -> SummaryResponse:
        """Return a digest of each message with equal shares of the budget, numbered if there are several."""
        several = len(request.messages) > 1
        share = max(1, request.max_tokens // len(request.messages))
        messages = [_unnumbered(message) for message in request.messages] if several else request.messages
        found = [message_digest(message, share, self._count) for message in messages]
        text = "\n".join(f"[{number}] {one}" for number, one in enumerate(found, 1)) if several else found[0]
        return SummaryResponse(text, "stop" if text else "length", output_tokens=self._count(text))

    def _write(
        self,
        form: SummaryLayout,
        candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]],
        ends: tuple[str, str, str],
        budget: int,
    ) -> tuple[str, tuple[str, ...]]:
        """Return the summary in one form; "" where its frame takes too much of the budget."""
        if self._count(_frame(form, {}, (*ends[:2], ""))) > budget * _MAX_FRAME_SHARE and form.sections:
            return "", ()
        frame = self._count(_frame(form, {}, ends))
        spending = TokenBudget(budget - frame, self._count)
        spend_budget(candidates, spending)
        while True:
            body = _body(form, spending)
            text = _frame(form, body, ends)
            excess = self._count(text) - budget
            if excess <= 0:
                return (text, tuple(body)) if body or form.sections else ("", ())
            if not spending.refund(excess):
                return "", ()

    def _cut(self, text: str, budget: int) -> str:
        """Return the longest beginning of a text, in words, that fits."""
        words = text.split()
        low, high = 0, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            if self._count(" ".join(words[:middle])) <= budget:
                low = middle
            else:
                high = middle - 1
        return " ".join(words[:low])


def _unnumbered(message: Message) -> Message:
    """Remove the block with the number of a batch from a message."""
    return replace(message, blocks=message.blocks[1:])


def read(
    messages: Sequence[Message], progress: Progress = no_progress, known: FactExtractor | None = None
) -> Facts:
    """Return the facts of messages and of earlier summaries among them; ``known`` caches facts."""
    texts = [plain_text(message) for message in messages if is_summary(message)]
    summaries = [
        previous_summary.merge_facts(
            previous_summary.parse_summary(text), extract_facts(recorded_messages(text))
        )
        for text in texts
    ]
    new_facts = (known or FactExtractor()).extract(messages, progress)
    return previous_summary.merge_facts(reduce(previous_summary.merge_facts, summaries, Facts()), new_facts)


def _forms(
    layout: SummaryLayout, candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]]
) -> Sequence[SummaryLayout]:
    """Return the layouts to try, fullest first: all sections, those with content, none."""
    by_slot = assign_slots(layout.sections)
    filled = {section for slot, section in by_slot.items() if candidates[slot]}
    some = tuple(section for section in layout.sections if section in filled)
    bare = SummaryLayout(SectionStyle.DIGEST, ())
    titles = tuple(slot.title for slot in SnapshotSlot if candidates[slot])
    if layout.style is SectionStyle.DIGEST:
        return (SummaryLayout(SectionStyle.DIGEST, titles), bare)
    return (layout, SummaryLayout(layout.style, some, layout.wrapper), bare) if some else (layout, bare)


def _body(form: SummaryLayout, spending: TokenBudget) -> _Body:
    """Return the lines by section, in the order of the sections, the slots and the conversation."""
    digest = form.style is SectionStyle.DIGEST
    by_slot = {slot: slot.title for slot in SnapshotSlot} if digest else assign_slots(form.sections)
    body: dict[str, list[str]] = {section: [] for section in form.sections}
    places = {slot: place for place, slot in enumerate(SnapshotSlot)}
    for slot, line in sorted(spending.taken, key=lambda pair: (places[pair[0]], pair[1].order)):
        body.setdefault(by_slot[slot], []).append(line.text)
    if not digest:
        _resume(body, by_slot[SnapshotSlot.CURRENT])
    return {section: texts for section, texts in body.items() if texts}


def _resume(body: dict[str, list[str]], current: str) -> None:
    """Move the state of the work to an empty section about next steps, unless it has its own section."""
    after = next((name for name in body if _NEXT.search(name)), "")
    if not after or body[after] or _OWN_SECTION.search(current):
        return
    body[after] = [line for line in body[current] if line.startswith(_STATE_LINES)]
    body[current] = [line for line in body[current] if not line.startswith(_STATE_LINES)]


def _frame(form: SummaryLayout, body: _Body, ends: tuple[str, str, str]) -> str:
    """Return the text of a summary: its lines in tags, under headings, or bare."""
    folder, transcript, empty = ends
    parts: list[str] = []
    if form.style is SectionStyle.DIGEST:
        parts += [DIGEST_TITLE, folder]
        for section, texts in body.items():
            parts += [f"{section}:" if form.sections else "", *texts]
        return "\n".join(filter(None, (*parts, transcript)))
    for number, section in enumerate(form.sections, 1):
        texts = body.get(section, (_EMPTY_SECTION,))
        parts += _headed(form.style, number, section, texts)
    ending = [line for line in (empty, folder, transcript) if line]
    if form.wrapper:
        return "\n".join((f"<{form.wrapper}>", *parts, *ending, f"</{form.wrapper}>"))
    start = [] if form.style is SectionStyle.XML else [DIGEST_TITLE, ""]
    return "\n".join((*start, *parts, *ending))


def _headed(style: SectionStyle, number: int, section: str, texts: Sequence[str]) -> list[str]:
    if style is SectionStyle.XML:
        return [f"<{section}>", *texts, f"</{section}>"]
    return [f"{number}. {section}:" if style is SectionStyle.NUMBERED else f"## {section}", *texts, ""]


def _ends(folder: str, transcript: str) -> tuple[str, str]:
    """Return the two lines outside of sections: the folder of relative paths, the transcript."""
    return (
        f"{fact_lines.FOLDER}`{folder}`" if folder else "",
        f"{fact_lines.TRANSCRIPT}`{transcript}`" if transcript else "",
    )


def _empty_sections_line(layout: SummaryLayout, form: SummaryLayout) -> str:
    """Return the line that names empty requested sections that a form leaves out."""
    omitted = [section for section in layout.sections if section not in form.sections]
    return f"{fact_lines.EMPTY}{', '.join(omitted)}." if omitted and form.sections else ""


def _best_line(candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]]) -> str:
    """Return the text to cut where not even one whole line fits."""
    return next((candidates[slot][0].text for slot in SPENDING if candidates[slot]), _EMPTY_MESSAGE)
