"""What agents' own summaries kept of what was needed next, and with a supplement beside them.

``python -m tests.studies.supplement_study [FOLDER]`` prints a line per recorded summary whose
history is in the file, and the means; a folder as argument replaces the corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from core.analysis.analysis_input import AnalysisInput
from core.common.errors import FoldlineError
from core.formats.registry import load_conversation
from core.settings_store.layers import SettingLayers
from core.strategies.excerpt_units import TOKENS
from core.trials.side_by_side import ExplainedCompaction, explain_compaction
from tests.studies.corpus_tables import CORPUS, files
from tests.studies.equal_pairs import interval
from tests.support.markdown import markdown

Kept = tuple[str, int, float, float]
"""File and number, the needed names, the share that was kept, the share with a supplement."""


def kept_of(file: str, explained: ExplainedCompaction) -> Kept | None:
    """Return the shares of one recorded compaction; None where nothing is known or needed."""
    needed = explained.losses.needed if explained.losses is not None else None
    more = explained.supplemented
    if needed is None or more is None or needed.share is None or more.share is None:
        return None
    return f"{file}, {explained.number}", needed.used, needed.share, more.share


def measure(path: Path) -> Iterator[Kept]:
    """Yield the shares of each compaction that a session recorded."""
    conversation = load_conversation(path)
    source = AnalysisInput(conversation=conversation, values=SettingLayers().resolve())
    for number, recorded in enumerate(conversation.recorded, start=1):
        if recorded.kind != "summary":
            continue
        if found := kept_of(path.name, explain_compaction(source, number)):
            yield found


def table(found: Sequence[Kept]) -> str:
    rows = [
        [name, str(used), f"{own:.0%}", f"{more:.0%}"]
        for name, used, own, more in found
    ]
    means = [fmean(column) for column in zip(*(one[2:] for one in found), strict=True)]
    rows.append(["mean", "", *(f"{one:.0%}" for one in means)])
    head = ["compaction", "names needed", "kept", f"with {TOKENS:,} tokens of excerpts"]
    low, high = interval([more - own for _, _, own, more in found])
    return f"{markdown(head, rows)}\n\nDifference: {100 * low:.0f} to {100 * high:.0f} points."


def main() -> None:
    found: list[Kept] = []
    for path in files(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS):
        try:
            found += measure(path)
        except FoldlineError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
    print(
        table(found) if found else "No recorded compaction has its history in its file."
    )


if __name__ == "__main__":
    main()
