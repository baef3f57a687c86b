"""What every part of a screen needs of a preview: codes, sums, destinations. Computed once."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.common import number_format
from core.presentation.model import FATES
from core.preview.options import Preview
from core.tokens.counter import count_unreported
from core.transcript.compaction import Compaction, Cut, FateKind

INSERTED_CODE = len(FATES)
KEPT, EDITED, PRUNED, SUMMARISED, DROPPED = (
    FATES.index(kind.value)
    for kind in (FateKind.KEPT, FateKind.EDITED, FateKind.PRUNED, FateKind.SUMMARISED, FateKind.DROPPED)
)
_CODES = {kind: FATES.index(kind.value) for kind in FateKind}


@dataclass(frozen=True, slots=True)
class PreviewColumns:
    """A preview in columns. ``fates`` per source message, ``after_fates`` and ``origin`` per result
    message; ``went[i]`` is where source message i went, -1 nowhere; ``sums[i]`` the tokens of the
    first i source messages; ``cuts`` lie on source messages, ascending; ``seen`` are the source
    messages that the strategy was given, after density and curation, ascending; ``missing`` how
    many messages before and after are in no sum, because nobody knows their tokens."""

    preview: Preview
    fates: bytes
    after_fates: bytes
    origin: array[int]
    went: array[int]
    sums: array[int]
    cuts: tuple[Cut, ...]
    seen: Sequence[int]
    missing: tuple[int, int]

    @property
    def compaction(self) -> Compaction:
        """The compaction of the preview."""
        return self.preview.compaction

    @property
    def length(self) -> int:
        """How many source messages there are."""
        return len(self.fates)

    def tokens(self, start: int, end: int) -> int:
        """Tokens of the source messages from start to before end."""
        return self.sums[end] - self.sums[start]

    def marked(self, number: int | None) -> str:
        """Tokens as text with the mark of how they were counted."""
        return number_format.tokens(self.preview.method.mark, number)


def preview_columns(preview: Preview) -> PreviewColumns:
    """The columns of a preview."""
    compaction = preview.compaction
    fates = fate_codes(compaction)
    went = array("q", [-1]) * len(fates)
    for place, sources in enumerate(compaction.origins):
        for source in sources:
            went[source] = place
    return PreviewColumns(
        preview,
        fates,
        _after_fates(compaction, fates),
        array("q", [sources[0] if sources else -1 for sources in compaction.origins]),
        went,
        array("q", accumulate(preview.counts, initial=0)),
        compaction.split.cuts if compaction.split else (),
        preview.inputs,
        (
            count_unreported(preview.messages, preview.counts),
            count_unreported(compaction.messages, preview.after_counts),
        ),
    )


def fate_codes(compaction: Compaction) -> bytes:
    """The fates of the source messages, as codes of FATES."""
    known: dict[int, int] = {}  # one fate may stand for thousands of messages
    codes = bytearray()
    for fate in compaction.fates:
        code = known.get(id(fate))
        if code is None:
            code = known[id(fate)] = _CODES[fate.kind]
        codes.append(code)
    return bytes(codes)


def _after_fates(compaction: Compaction, fates: bytes) -> bytes:
    return bytes(
        INSERTED_CODE if place in compaction.inserted or not sources else fates[sources[0]]
        for place, sources in enumerate(compaction.origins)
    )


def result_place(compaction: Compaction, index: int) -> int:
    """Where in the result a source message is, -1 nowhere; for a single question."""
    return next((place for place, found in enumerate(compaction.origins) if index in found), -1)


def fate_counts(codes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """How many messages have which fate, in the order of FATES, inserted last."""
    return tuple(sorted(Counter(codes).items()))


def main_fate(shown: PreviewColumns, start: int, end: int) -> int:
    """The fate with most messages in a stretch; where kept and something else are mixed, the
    something else wins from a quarter on, so that a band is named after what happens in it."""
    counted = Counter(shown.fates[start:end])
    kept = counted.pop(KEPT, 0)
    if not counted:
        return KEPT
    code, times = counted.most_common(1)[0]
    return code if times * 3 >= kept else KEPT
