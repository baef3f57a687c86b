"""Arrays over the messages of a preview, which all parts of a screen share: codes of fates, sums of
tokens, and the index of each source message in the result."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from core.common import excerpts
from core.presentation.model import FATES, INSERTED_CODE, KEPT, SUMMARISED, FateRun
from core.preview.options import Preview
from core.tokens.counter import count_unreported
from core.transcript.compaction import Compaction, Cut, FateKind
from core.transcript.model import ToolCall

_CODES = {kind: FATES.index(kind.value) for kind in FateKind}


class UnknownCounts(NamedTuple):
    """Messages whose size nobody has counted, as of encrypted ones."""

    source: int
    result: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewColumns:
    """A preview in columns.

    ``fates`` per source message, ``after_fates`` and ``origin`` per result message;
    ``result_index[i]`` is the result index of source message i, -1 for none; ``sums[i]`` the tokens
    of the first i source messages; ``cuts`` are boundaries of the source, ascending;
    ``input_indices`` are the strategy's input messages after density and curation, ascending;
    ``unknown_counts`` counts source and result messages of unknown size.
    """

    preview: Preview
    fates: bytes
    after_fates: bytes
    origin: array[int]
    result_index: array[int]
    sums: array[int]
    cuts: tuple[Cut, ...]
    input_indices: Sequence[int]
    unknown_counts: UnknownCounts

    @property
    def compaction(self) -> Compaction:
        return self.preview.result.compaction

    @property
    def length(self) -> int:
        return len(self.fates)

    @property
    def is_upper_bound(self) -> bool:
        """True while the budget of a summary counts that nobody has written: the result is at most
        so large."""
        preview = self.preview
        return (
            preview.summary.unwritten
            and not preview.summary.provisional
            and preview.result.compaction.no_op is None
        )

    @property
    def has_one_summary(self) -> bool:
        """True where all summarised messages become one, in a recorded result, too."""
        if self.compaction.summary is not None:
            return True
        pairs = zip(self.fates, self.result_index, strict=True)
        results = (result for fate, result in pairs if fate == SUMMARISED)
        first = next(results, -1)
        return first >= 0 and all(result == first for result in results)

    def tokens(self, start: int, end: int) -> int:
        return self.sums[end] - self.sums[start]


def preview_columns(preview: Preview) -> PreviewColumns:
    compaction = preview.result.compaction
    fates = fate_codes(compaction)
    first_sources = [sources[0] if sources else -1 for sources in compaction.origins]
    after_fates = bytearray(
        map((fates + bytes([INSERTED_CODE])).__getitem__, first_sources)
    )
    for index in compaction.inserted:
        after_fates[index] = INSERTED_CODE
    result_index = array("q", [-1]) * len(fates)
    for index, sources in enumerate(compaction.origins):
        for source in sources:
            result_index[source] = index
    return PreviewColumns(
        preview=preview,
        fates=fates,
        after_fates=bytes(after_fates),
        origin=array("q", first_sources),
        result_index=result_index,
        sums=array("q", accumulate(preview.source.counts, initial=0)),
        cuts=compaction.split.cuts if compaction.split else (),
        input_indices=preview.result.inputs,
        unknown_counts=UnknownCounts(
            count_unreported(preview.messages, preview.source.counts),
            count_unreported(compaction.messages, preview.result.after_counts),
        ),
    )


def fate_codes(compaction: Compaction) -> bytes:
    # Many share one.
    fates_by_id = dict(zip(map(id, compaction.fates), compaction.fates, strict=True))
    codes = {key: _CODES[fate.kind] for key, fate in fates_by_id.items()}
    return bytes(map(codes.__getitem__, map(id, compaction.fates)))


def result_index_of(compaction: Compaction, index: int) -> int:
    """Return the result index of a source message, -1 for none; linear, for single queries."""
    return next(
        (
            result_index
            for result_index, sources in enumerate(compaction.origins)
            if index in sources
        ),
        -1,
    )


def main_fate(columns: PreviewColumns, start: int, end: int) -> int:
    """Return the most frequent fate in a range; kept only if others are below a quarter."""
    counts = Counter(columns.fates[start:end])
    kept = counts.pop(KEPT, 0)
    if not counts:
        return KEPT
    code, times = counts.most_common(1)[0]
    return code if times * 3 >= kept else KEPT


def fate_runs(columns: PreviewColumns) -> tuple[FateRun, ...]:
    """Return all runs in source order; a run without a result has an empty range there. A
    summarised run includes inserted messages right after its summary: "245 → 2"."""
    runs: list[FateRun] = []
    fates = columns.fates
    origin = columns.origin
    result_index = columns.result_index
    result_end = 0
    for start, end in pairwise(_run_starts(columns)):
        first = result_index[start]
        last = result_index[end - 1]
        result_start, after_end = (
            (result_end, result_end) if first < 0 else (first, last + 1)
        )
        while first >= 0 and after_end < len(origin) and origin[after_end] < 0:
            after_end += 1
        results = 0 if first < 0 else last + 1 - first
        runs.append(
            FateRun(fates[start], (start, end), (result_start, after_end), results)
        )
        result_end = after_end
    return tuple(runs)


def _run_starts(columns: PreviewColumns) -> Iterator[int]:
    """Yield where another fate begins, or a message that went neither to the place of its
    predecessor nor right after it; last the end of all messages."""
    fate, previous = -1, -1
    for index, (next_fate, result) in enumerate(
        zip(columns.fates, columns.result_index, strict=True)
    ):
        is_next = result == previous or (previous >= 0 and result == previous + 1)
        if next_fate != fate or not is_next:
            yield index
        fate, previous = next_fate, result
    yield columns.length


def kept_pair_text(columns: PreviewColumns, cut: Cut) -> str:
    """Return the call that moved a cut: "Edit keeps its result", or nothing."""
    for boundary in (cut.requested, cut.reference):
        if 0 <= boundary < len(columns.preview.source.pairs.valid):
            for pair in columns.preview.source.pairs.pairs_across(boundary):
                call = columns.preview.messages[pair.call].blocks[pair.call_block]
                if isinstance(call, ToolCall):
                    name = excerpts.one_line_text(call.name, 40)
                else:
                    name = "the call"
                return f"{name} keeps its result"
    return ""
