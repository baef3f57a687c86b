"""What a recorded compaction left, in words and as JSON, the same in window and command line
(REPAIR-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.losses_json import evidence_json, kinds_json, needed_json
from core.presentation.losses_words import KIND_NAMES, fact_note, losses_sentences
from core.presentation.preview_wording import current_context_text
from core.strategies.excerpt_units import TOKENS as SUPPLEMENT_TOKENS
from core.transcript.model import Conversation
from core.transcript.scopes import ALL, CURRENT, history_of_scope
from core.trials.recorded_results import ExplainedCompaction

if TYPE_CHECKING:
    from core.presentation.model import Notice

_TOPIC = "recorded"
_MAX_FACT = 80
_COUNTING = "counting what it left…"


def explained_sentences(explained: ExplainedCompaction) -> list[str]:
    """Return what is and is not in its result, and what a supplement would add; its sizes are said
    elsewhere."""
    if explained.losses is None:
        return [explained.obstacle]
    if explained.fault:
        fault = f"Its summary is none: the model {explained.fault}."
    else:
        fault = ""
    said = losses_sentences(explained.losses)[1:]
    return [*filter(None, (fault, *said, supplement_sentence(explained)))]


def supplement_sentence(explained: ExplainedCompaction) -> str:
    """Return "The agent's summary kept 37 % of the 57 names that were needed next; …"; "" where
    nothing was needed."""
    if explained.losses is not None:
        needed = explained.losses.needed
    else:
        needed = None
    more = explained.supplemented
    if needed is None or more is None or needed.share is None or more.share is None:
        return ""
    names = number_format.plural(needed.used, "name")
    return (
        f"What the agent kept has {number_format.percent(needed.share, 0)} of the {names} that it used "
        f"next; with {SUPPLEMENT_TOKENS:,} tokens of excerpts it would have been "
        f"{number_format.percent(more.share, 0)}."
    )


def explained_rows(explained: ExplainedCompaction) -> list[tuple[str, str, str]]:
    """Return kind, place and text of what is not there word for word, the worst first."""
    return [
        (
            KIND_NAMES[one.fact.kind][0],
            fact_note(one),
            one_line_text(one.fact.text, _MAX_FACT),
        )
        for one in explained.worst
    ]


def explained_json(
    explained: ExplainedCompaction, conversation: Conversation
) -> dict[str, Json]:
    """Return the losses of a recorded compaction; messages are indices in the whole session, null
    for those that only an earlier summary holds."""
    losses = explained.losses
    return {
        "unknown": explained.obstacle or None,
        "summary_fault": explained.fault or None,
        "kinds": kinds_json(losses) if losses else None,
        "not_word_for_word": [
            evidence_json(one, conversation.messages, is_written=True)
            for one in explained.worst
        ],
        "needed_later": needed_json(losses.needed, explained.session_index)
        if losses
        else None,
        "needed_with_supplement": explained.supplemented.kept
        if explained.supplemented
        else None,
    }


def explained_notice(
    conversation: Conversation, scope: str, explained: ExplainedCompaction | None = None
) -> Notice:
    """Return one line on the newest recorded compaction, without ``explained`` that it is looked
    at: what the current context is where that is the ``scope`` that is shown, else where the
    compaction was."""
    from core.presentation.model import Notice, NoticeAction  # late: inspect needs none

    see = NoticeAction("See it", "recorded", str(len(conversation.recorded)))
    if scope == CURRENT:
        text = current_context_text(
            conversation, history_of_scope(conversation, CURRENT)
        )
        title, actions = (
            f"{text[0].upper()}{text[1:]}.",
            (NoticeAction("Whole session", "scope", ALL), see),
        )
        summary = _summary(explained)
        short = (
            f"{text[0].upper()}{text[1:].replace(' messages + ', ' + ')}.",
            _summary_in_short(explained),
        )
        words = f"{summary[0].upper()}{summary[1:]}"
        return Notice(
            "info",
            title,
            words,
            actions,
            topic=_TOPIC,
            short=short if short[1] else ("", ""),
        )
    recorded, agent = conversation.recorded, _agent(conversation)
    number = number_format.message_number(recorded[-1].boundary)
    if len(recorded) > 1:
        times = f" {len(recorded):,} times, the last time"
    else:
        times = ""
    head = f"Compacted{times} before {number}{f' by {agent}' if agent else ''}"
    return Notice("info", "", f"{head}: {_summary(explained)}", (see,), topic=_TOPIC)


def _agent(conversation: Conversation) -> str:
    """Return the agent whose format it is, "" for one that several programs write."""
    from core.formats.discovery.find_sessions import SESSION_FOLDERS  # late, as above
    from core.formats.registry import FORMATS

    labels = (one.label for one in FORMATS if one.name == conversation.format)
    return next(
        (
            label
            for label in labels
            if any(one.agent == label for one in SESSION_FOLDERS)
        ),
        "",
    )


def _summary(explained: ExplainedCompaction | None) -> str:
    """Return "9 of your 14 messages left word for word, later turns missed 12 names."."""
    if explained is None:
        return _COUNTING
    if explained.losses is None:
        return f"{explained.obstacle[0].lower()}{explained.obstacle[1:]}"
    parts = []
    if (said := explained.losses.said) is not None:
        one = f"your message was {'' if said[0] else 'not '}left word for word"
        parts.append(
            one
            if said[1] == 1
            else f"{said[0]:,} of your {said[1]:,} messages left word for word"
        )
    needed = explained.losses.needed
    if needed is not None and needed.gone:
        parts.append(
            f"later turns missed {number_format.plural(len(needed.gone), 'name')}"
        )
    elif needed is not None and needed.used:
        parts.append(
            f"later turns used {number_format.plural(needed.used, 'name')}, none is gone"
        )
    else:
        ends = "the session ends there"
        parts.append(
            "later turns used no name that was said before"
            if needed is not None
            else ends
        )
    return f"{', '.join(parts)}."


def _summary_in_short(explained: ExplainedCompaction | None) -> str:
    """Return "9 of your 14 messages word for word, 12 names missed", "" where that says less."""
    losses = None if explained is None else explained.losses
    if losses is None or losses.said is None or losses.said[1] == 1:
        return ""
    own = f"{losses.said[0]:,} of your {losses.said[1]:,} messages word for word"
    if losses.needed is None:
        gone = 0
    else:
        gone = len(losses.needed.gone)
    if gone:
        return f"{own}, {number_format.plural(gone, 'name')} missed"
    return own
