"""What a message was before its transcript was compacted, where the transcript itself says so."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from core.common import number_format
from core.presentation import message_links
from core.presentation.model import WhySection
from core.preview.options import Preview
from core.transcript.compaction import FateKind
from core.transcript.provenance import message_provenance

TITLE = "Before it was compacted"
_SHOWN = 8  # stretches of messages that are named; the rest is counted


def before_it_was_compacted(preview: Preview, index: int) -> WhySection | None:
    """The messages of the former session that a message stands for, and how to put one of them back.

    None where it was a message of that session itself and nothing was taken away beside it. Their
    numbers are those of the former session, so that none of them is a link.
    """
    was = message_provenance(preview.messages[index])
    if was is None or not (was.fates or was.removed):
        return None
    sentences = []
    if was.fates:
        word = "Stands for" if len(was.fates) > 1 else "Was"
        sentences.append(f"{word} {_named(was.fates)} of the session before it, {_fates(was.fates)}.")
    if was.removed:
        sentences.append(f"Beside it stood {_named(was.removed)}, {_fates(was.removed)}.")
    sentences.append("The file holds them as they were; one comes back with:")
    first = min((*was.fates, *was.removed)) + 1
    name = shlex.quote(preview.conversation.document.name)
    return WhySection(
        TITLE,
        message_links.sentence_spans(" ".join(sentences)),
        mono=f"foldline convert {name} --put-back {first} --to {preview.conversation.format} -o NEW",
    )


def _named(indices: Iterable[int]) -> str:
    """ "#3–#9, #12": the messages by number, in stretches."""
    stretches = [
        [index for _, index in group]
        for _, group in groupby(enumerate(sorted(indices)), lambda pair: pair[1] - pair[0])
    ]
    words = [number_format.span(one[0], one[-1] + 1) for one in stretches[:_SHOWN]]
    rest: Sequence[list[int]] = stretches[_SHOWN:]
    more = f" and {number_format.plural(sum(map(len, rest)), 'other')}" if rest else ""
    return f"{', '.join(words)}{more}"


def _fates(fates: Mapping[int, FateKind]) -> str:
    """ "20 summarised, 6 dropped"; the fate alone where there is one message."""
    if len(fates) == 1:
        return next(iter(fates.values())).value
    return ", ".join(
        f"{number_format.count(many)} {kind.value}" for kind, many in Counter(fates.values()).items()
    )
