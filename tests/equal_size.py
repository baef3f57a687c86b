"""Every strategy at the same size, measured by later use: ``python -m tests.equal_size``.

Each transcript is cut at 70 % of its tokens. The part before is the source, the part after shows
what was used of it. Each strategy is run for the largest result within a share of the source:

- those with a target of the limit by the limit, middle-out and one-shot by what they preserve;
- presets by their own numbers (tokens and results that they keep), all scaled alike;
- summaries get ``SUMMARIES[0]`` of the size, as the snapshot of pinned-hybrid does, and more where that
  leaves room unused;
- what is still too large loses its oldest messages, whole pairs, summaries last (and of them the end).
"""

from __future__ import annotations

import multiprocessing
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from statistics import fmean

from core.analysis.fidelity.fact_texts import text_index, text_of
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.later_use import forward_demand
from core.analysis.fidelity.source_facts import facts_of
from core.strategies.pinned import strategy as pinned
from core.strategies.registry import STRATEGIES
from core.transcript.model import Message
from tests.corpus_census import CORPUS, files
from tests.docs_tables import markdown
from tests.equal_sizing import LEAST, Given, asked, fitted, given
from tests.source_tree import ROOT

PAGE = ROOT / "resources" / "help" / "equal-size.md"
MARKS = re.compile(r"(<!-- equal-size -->\n).*?(\n?<!-- /equal-size -->)", re.DOTALL)
SHARES = (0.10, 0.20, 0.30)


@dataclass(frozen=True, slots=True)
class Judged:
    """One result: its share of the source, what of the needed is there, facts kept."""

    file: str
    strategy: str
    share: float
    size: float
    recall: float | None
    fidelity: float | None


def judged(path: Path, names: Sequence[str] = (), shares: Sequence[float] = SHARES) -> list[Judged]:
    """Return all strategies at all sizes over one transcript; empty for one that is too short."""
    file = given(path)
    return judged_file(file, names, shares) if file is not None else []


def judged_file(file: Given, names: Sequence[str], shares: Sequence[float]) -> list[Judged]:
    """Return the same for one that is cut already."""
    facts = facts_of(file.before)
    whole = forward_demand(file.before, file.after, ())
    needed = [one.fact.key for one in whole.lost] if whole is not None else []
    found = []
    for share in shares:
        most = int(share * file.tokens)
        for strategy in STRATEGIES:
            if names and strategy.name not in names:
                continue
            made = asked(strategy, file, most)
            if made is None:
                continue
            result = fitted(made, file, most)
            found.append(
                Judged(
                    file.name,
                    strategy.name,
                    share,
                    file.count(result.messages) / file.tokens,
                    recall(needed, result.messages),
                    judge_fidelity(file.before, result, facts=facts).weighted,
                )
            )
    return found


def recall(needed: Sequence[str], result: Sequence[Message]) -> float | None:
    """The share of what was needed that a result still has, as ``forward_demand`` counts it; None of
    nothing."""
    kept = text_index([text_of(message) for message in result])
    return sum(bool(kept.places(name, exact=True)) for name in needed) / len(needed) if needed else None


def measured(
    paths: Sequence[Path], names: Sequence[str] = (), shares: Sequence[float] = SHARES
) -> list[Judged]:
    """Measure many transcripts, on all cores."""
    with multiprocessing.get_context("spawn").Pool() as pool:
        done = pool.imap_unordered(partial(judged, names=names, shares=shares), paths)
        return [one for found in done for one in found]


def mean(values: Iterator[float | None]) -> float | None:
    """Return the mean of the known values."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def table(found: Sequence[Judged]) -> str:
    """Return one line per strategy, by later use over all sizes, best first."""
    by_name: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in found:
        by_name[one.strategy].append(one)
    rows = [(name, *_means(rows)) for name, rows in by_name.items()]
    rows.sort(key=lambda row: -sum(row[1:3]))
    shares = sorted({one.share for one in found})
    head = ["strategy", "needed and there", "facts kept"]
    for share in shares:
        head += [f"needed at {share:.0%}", f"facts at {share:.0%}", f"size at {share:.0%}"]
    lines = []
    for name, recall, kept in rows:
        line = [f"`{name}`", _percent(recall), _percent(kept)]
        for share in shares:
            at = [one for one in by_name[name] if one.share == share]
            line += [_percent(one) for one in (*_means(at), mean(one.size for one in at))]
        lines.append(line)
    return markdown(head, lines)


def _means(rows: Sequence[Judged]) -> tuple[float, float]:
    return mean(one.recall for one in rows) or 0.0, mean(one.fidelity for one in rows) or 0.0


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def verdict(found: Sequence[Judged]) -> str:
    """Return by how much our own strategy is the best row, or is not."""
    names = {one.strategy for one in found}
    means = {name: _means([one for one in found if one.strategy == name]) for name in names}
    ours = means[pinned.NAME]
    said = []
    for place, what in enumerate(("needed and there", "facts kept")):
        name, best = max(
            ((name, two[place]) for name, two in means.items() if name != pinned.NAME), key=lambda one: one[1]
        )
        ahead = 100 * (ours[place] - best)
        word = "ahead of the next best" if ahead > 0 else "behind the best"
        said.append(f"{what}: {abs(ahead):.1f} points {word}, `{name}`")
    return f"`{pinned.NAME}`: {'; '.join(said)}."


def filled(text: str, found: Sequence[Judged], day: date) -> str:
    """Return the page with the table in it."""
    many = len({one.file for one in found})
    about = f"Measured on {day:%Y-%m-%d} over {many} transcripts of more than {LEAST:,} tokens."
    body = f"{about}\n\n{verdict(found)}\n\n{table(found)}"
    return MARKS.sub(lambda match: f"{match[1]}{body}{match[2]}", text)


def main() -> None:
    """Measure and write the page; a folder as argument replaces the corpus."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    found = measured(files(folder))
    PAGE.write_text(filled(PAGE.read_text("utf-8"), found, date.today()), "utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
