"""Indexes a history only by the words of a few given texts, for fast lookup of their needles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from core.analysis.fidelity.fact_texts import TextIndex, searchable_text, text_index
from core.common.json_value import Json
from core.transcript.model import Message, Progress, no_progress, tool_calls

_DIGITS = re.compile(r"\d+")  # of a value that is written together with its unit


def source_index(
    messages: Sequence[Message],
    summary_texts: Iterable[str],
    known_texts: Sequence[str] = (),
    progress: Progress = no_progress,
) -> TextIndex:
    """Index messages by the words of ``summary_texts``, in linear time; the first places are those of the
    messages. ``known_texts`` are texts that a summary may repeat though no message contains them."""
    needles = [
        needle
        for text in summary_texts
        for needle in (text, *_DIGITS.findall(text), *_DIGITS.findall(text.replace(",", "")))
    ]
    return text_index(source_texts(messages, known_texts), progress, needles=needles)


def source_texts(messages: Sequence[Message], known_texts: Sequence[str] = ()) -> list[str]:
    """Return the text of each message, then spelling variants, known texts and argument keys."""
    texts = list(map(searchable_text, messages))
    texts += [text.replace("\\", "/") for text in texts if "\\" in text]  # Windows paths with slashes
    keys = {
        key for message in messages for call in tool_calls(message) for key in _argument_names(call.arguments)
    }
    return [*texts, *known_texts, " ".join(sorted(keys))]


def _argument_names(arguments: Json) -> Iterable[str]:
    return map(str, arguments) if isinstance(arguments, Mapping) else ()
