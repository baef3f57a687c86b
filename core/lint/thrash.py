"""Compactions of an agent that follow each other and help next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.number_format import abbreviated, plural
from core.tokens.reported_sizes import SELDOM, reported_sizes
from core.transcript.model import Conversation, Speaker

_LEAST_FREED = 0.10  # share of the context
_LEAST_COUNT = 3
_LOOP_ANSWERS = 2  # of the model between two compactions, at most, that make a loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrash:
    """The newest compactions in a row that freed next to nothing, or were needed again after a
    few ``answers`` of the model (None where sizes tell it); no compaction removes the ``hidden``
    tokens, which are in requests but in no message (REPAIR-9)."""

    count: int
    messages: int
    hidden: int
    answers: int | None = None

    @property
    def text(self) -> str:
        """ "The last 9 compactions, in 120 messages, freed under 10 % each; 31k hidden tokens
        …"."""
        if self.answers is None:
            what = f"freed under {_LEAST_FREED * 100:.0f} % each"
        else:
            what = f"came after at most {plural(self.answers, 'answer')} of the model each"
        return f"The last {self.count:,} compactions, in {self.messages:,} messages, {what}{self._rest}"

    @property
    def _rest(self) -> str:
        help_text = "a larger window or fewer tools would help."
        if not self.hidden:
            return f": what stays fills the window; {help_text}"
        return f"; {self.hidden_text} cannot be removed: {help_text}"

    @property
    def hidden_text(self) -> str:
        """ "31k hidden tokens"; "" where none are known."""
        if not self.hidden:
            return ""
        return f"{abbreviated(self.hidden)} hidden {'token' if self.hidden == 1 else 'tokens'}"

    @property
    def label(self) -> str:
        """ "thrashes, 31k hidden tokens"."""
        return ", ".join(filter(None, ("thrashes", self.hidden_text)))


def find_thrash(conversation: Conversation, hidden: int = 0) -> Thrash | None:
    """Return the newest three compactions or more in a row that freed next to nothing, else those
    with at most two answers of the model between them; None without."""
    recorded = conversation.recorded
    if len(recorded) < _LEAST_COUNT:
        return None
    sizes = reported_sizes(conversation)
    in_vain = [_is_in_vain(*size) for size in sizes]
    if (count := _run_at_end(in_vain)) >= _LEAST_COUNT:
        return Thrash(count=count, messages=_span(conversation, count), hidden=hidden)
    answers = _answers_before(conversation)
    loop = _run_at_end([one is not None and one <= _LOOP_ANSWERS for one in answers]) + 1
    if loop < _LEAST_COUNT:
        return None
    most = max(one or 0 for one in answers[-loop + 1 :])
    return Thrash(
        count=loop, messages=_span(conversation, loop), hidden=hidden, answers=max(most, 1)
    )


def _is_in_vain(before: int | None, after: int | None) -> bool:
    if not before or after is None:
        return False
    return before - after < _LEAST_FREED * before


def _run_at_end(values: list[bool]) -> int:
    count = 0
    while count < len(values) and values[-1 - count]:
        count += 1
    return count


def _span(conversation: Conversation, count: int) -> int:
    recorded = conversation.recorded
    return recorded[-1].boundary - recorded[-count].boundary


def _answers_before(conversation: Conversation) -> list[int | None]:
    """Return for each compaction how many answers of the model came since the one before it; None
    for the first, and for those that the person asked for."""
    answers: list[int | None] = []
    start: int | None = None
    for one in conversation.recorded:
        own = conversation.messages[start : one.boundary] if start is not None else ()
        is_own = start is None or one.trigger == "manual" or one.kind not in SELDOM
        answers.append(None if is_own else sum(each.speaker is Speaker.AI for each in own))
        start = one.boundary
    return answers
