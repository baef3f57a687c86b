"""Every strategy at the same size, measured by later use: ``python -m tests.studies.equal_size``.

Each transcript is cut at 70 % of its tokens. The part before is the source, the part after shows
what was used of it. Each strategy is run for the largest result within a share of the source:

- those with a target of the limit by the limit, middle-out and one-shot by what they preserve;
- presets by their own numbers (tokens and results that they keep), all scaled alike;
- summaries get ``SUMMARIES[0]`` of the size, as the snapshot of excerpt does, and more where
  that
  leaves room unused;
- what is still too large loses its oldest messages, whole pairs, summaries last (and of them the
  end).
"""

import hashlib
import multiprocessing
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from statistics import fmean

from core.facts.name_patterns import Name, canonical, names_in
from core.facts.sentences import block_texts, searchable_text
from core.losses.needed_later import LaterNeeds, find_needs, needed_later
from core.strategies.names import EXCERPT
from core.strategies.registry import STRATEGIES
from core.transcript.model import Message, Speaker
from tests.studies.behaviour import record
from tests.studies.corpus_tables import CORPUS, RESULTS, files
from tests.studies.equal_pairs import METRICS, SizeResult, beaten_table, pairs_table
from tests.studies.equal_sizing import (
    MIN_TOKENS,
    SplitTranscript,
    cut_to_fit,
    largest_for_budget,
    load_split,
)
from tests.support.markdown import markdown, with_block

PAGE = RESULTS
MARKS = re.compile(r"<!-- equal-size -->\n.*?<!-- /equal-size -->", re.DOTALL)
SHARES = (0.10, 0.20, 0.30)
HALVES = ("to choose", "to report")
COMPARED = ("hybrid", "mask-observations", "middle-out", "top-down-truncation")


def measure_transcript(
    path: Path, names: Sequence[str] = (), shares: Sequence[float] = SHARES
) -> list[SizeResult]:
    """Return all strategies at all sizes over one transcript; empty for one that is too short."""
    file = load_split(path)
    return measure_split(file, names, shares) if file is not None else []


def measure_split(
    file: SplitTranscript, names: Sequence[str], shares: Sequence[float]
) -> list[SizeResult]:
    """Return the same for one that is cut already."""
    needs = find_needs(file.before, file.after, file.system)
    needed_words = plain_demand(file.before, file.after)
    needed_lines = lines_written_again(file.before, file.after)
    results = []
    for share in shares:
        max_tokens = int(share * file.tokens)
        for strategy in STRATEGIES:
            if names and strategy.name not in names:
                continue
            compaction = largest_for_budget(strategy, file, max_tokens)
            if compaction is None:
                continue
            result = cut_to_fit(compaction, file, max_tokens)
            needed = needed_later(needs, result.messages) if needs is not None else None
            results.append(
                SizeResult(
                    file=file.name,
                    strategy=strategy.name,
                    share=share,
                    size=file.count(result.messages) / file.tokens,
                    recall=needed.share if needed is not None else None,
                    plain_recall=plain_recall(needed_words, result.messages),
                    again=share_of_lines(needed_lines, result.messages),
                    around=share_with_surroundings(needs, file.before, result.messages),
                )
            )
    return results


def measure_all(
    paths: Sequence[Path], names: Sequence[str] = (), shares: Sequence[float] = SHARES
) -> list[SizeResult]:
    """Measure many transcripts, on all cores."""
    with multiprocessing.get_context("spawn").Pool() as pool:
        done = pool.imap_unordered(
            partial(measure_transcript, names=names, shares=shares), paths
        )
        return [one for found in done for one in found]


_LINE_LENGTHS = range(20, 301)  # characters of a line that is counted
_AROUND = 64  # characters
_PLAIN_WORDS = re.compile(
    r"https?://[^\s<>\"')\]]+|(?:[\w.@~-]*/)+[\w@-][\w.@-]*|\b[A-Za-z]\w*(?:[_.:-]+\w+)+|\b[a-z]+[A-Z]\w*|\b\d{2,}(?:\.\d+)?\b"
)
_ERROR_LINE = re.compile(
    r"^.{0,80}(?:error|exception|failed|fatal).{8,200}$", re.IGNORECASE | re.MULTILINE
)


def plain_words(text: str) -> set[str]:
    """Return addresses, paths, names with a mark and numbers, as they are written."""
    return {word.rstrip(".:-/") for word in _PLAIN_WORDS.findall(text)}


def plain_demand(before: Sequence[Message], after: Sequence[Message]) -> set[str]:
    """Return the words and lines with errors that were said before the cut, that the model said or
    called for after it, and that neither the person nor a tool had said again."""
    texts = [searchable_text(message) for message in before]
    known = {word for text in texts for word in plain_words(text)}
    errors = {line.strip() for text in texts for line in _ERROR_LINE.findall(text)}
    supplied: set[str] = set()
    needed: set[str] = set()
    for message in after:
        text = searchable_text(message)
        words = (known & plain_words(text)) | {line for line in errors if line in text}
        if message.speaker is Speaker.AI:
            needed |= words - supplied
        else:
            supplied |= words
    return needed


def plain_recall(needed: Iterable[str], result: Sequence[Message]) -> float | None:
    """Return the share of these words that a result has, between characters that no word holds."""
    text = "\n".join(map(searchable_text, result))
    found = [
        bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)) for word in needed
    ]
    return fmean(found) if found else None


def lines_written_again(
    before: Sequence[Message], after: Sequence[Message]
) -> set[str]:
    """Return the lines from before the cut that the model wrote again word for word after it, and
    that nobody had given it again."""
    known = {line for message in before for line in _lines(message)}
    supplied: set[str] = set()
    needed: set[str] = set()
    for message in after:
        lines = known & _lines(message)
        if message.speaker is Speaker.AI:
            needed |= lines - supplied
        else:
            supplied |= lines
    return needed


def _lines(message: Message) -> set[str]:
    lines = (line.strip() for line in searchable_text(message).splitlines())
    return {line for line in lines if len(line) in _LINE_LENGTHS}


def share_of_lines(needed: Iterable[str], result: Sequence[Message]) -> float | None:
    text = "\n".join(map(searchable_text, result))
    found = [line in text for line in needed]
    return fmean(found) if found else None


def share_with_surroundings(
    needs: LaterNeeds | None, before: Sequence[Message], result: Sequence[Message]
) -> float | None:
    """Return the share of the needed names that the result has with 64 characters on both sides,
    white space aside, as one of their mentions before the cut had them."""
    if needs is None or not needs.names:
        return None
    text = " ".join("\n".join(map(searchable_text, result)).split())
    kept: set[str] = set()
    for part in (one for message in before for one in block_texts(message)):
        for found in names_in(part):
            name = canonical(found.text)
            if (
                name in needs.names
                and name not in kept
                and _with_sides(part, found) in text
            ):
                kept.add(name)
    return len(kept) / len(needs.names)


def _with_sides(text: str, found: Name) -> str:
    """Return a mention with what stands around it; a text that ends sooner has less."""
    end = found.start + len(found.text)
    left = " ".join(text[max(0, found.start - 4 * _AROUND) : found.start].split())[
        -_AROUND:
    ]
    right = " ".join(text[end : end + 4 * _AROUND].split())[:_AROUND]
    before = " " if text[found.start - 1 : found.start].isspace() else ""
    after = " " if text[end : end + 1].isspace() and right else ""
    return f"{left}{before if left else ''}{found.text}{after}{right}".strip()


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


_SHORT = ("needed", "other list", "again", "around", "size")


def half_of(file: str) -> str:
    """Return the half of the corpus that a file belongs to, by a hash of its name: rules were
    chosen on the first and are reported on the second."""
    name = file.rpartition("/")[2]
    return HALVES[int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2]


def halves_table(found: Sequence[SizeResult]) -> str:
    """Return the measures of some strategies on both halves."""
    rows = []
    for half in HALVES:
        for name in (EXCERPT, *COMPARED):
            ours = [
                one
                for one in found
                if one.strategy == name and half_of(one.file) == half
            ]
            for share in sorted({one.share for one in ours}):
                at = [one for one in ours if one.share == share]
                count = str(len({one.file for one in at}))
                rows.append(
                    [
                        half,
                        count,
                        f"`{name}`",
                        f"{share:.0%}",
                        *map(_percent, _means(at)),
                    ]
                )
    return markdown(["half", "transcripts", "strategy", "size", *METRICS], rows)


def table(found: Sequence[SizeResult]) -> str:
    """Return one line per strategy, by later use over all sizes, best first."""
    by_name: defaultdict[str, list[SizeResult]] = defaultdict(list)
    for one in found:
        by_name[one.strategy].append(one)
    means = {name: _means(rows) for name, rows in by_name.items()}
    shares = sorted({one.share for one in found})
    head = ["strategy", *METRICS]
    for share in shares:
        head += [f"{column} at {share:.0%}" for column in _SHORT]
    lines = []
    for name in sorted(means, key=lambda name: -sum(means[name])):
        line = [f"`{name}`", *map(_percent, means[name])]
        for share in shares:
            at = [one for one in by_name[name] if one.share == share]
            line += [
                _percent(one) for one in (*_means(at), mean(one.size for one in at))
            ]
        lines.append(line)
    return markdown(head, lines)


def _means(rows: Sequence[SizeResult]) -> tuple[float, ...]:
    return tuple(mean(map(metric, rows)) or 0.0 for metric in METRICS.values())


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def verdict(found: Sequence[SizeResult]) -> str:
    """Return by how much our own strategy is the best row, or is not."""
    names = {one.strategy for one in found}
    means = {
        name: _means([one for one in found if one.strategy == name]) for name in names
    }
    ours = means[EXCERPT]
    sentences = []
    for place, column_name in enumerate(METRICS):
        name, best = max(
            (
                (name, mean_pair[place])
                for name, mean_pair in means.items()
                if name != EXCERPT
            ),
            key=lambda one: one[1],
        )
        lead = 100 * (ours[place] - best)
        word = "ahead of the next best" if lead > 0 else "behind the best"
        sentences.append(f"{column_name}: {abs(lead):.1f} points {word}, `{name}`")
    return f"`{EXCERPT}`: {'; '.join(sentences)}."


def page_with_table(text: str, found: Sequence[SizeResult], day: date) -> str:
    """Return the page with the tables in it."""
    file_count = len({one.file for one in found})
    about = (
        f"Measured on {day:%Y-%m-%d} over {file_count} transcripts of more than {MIN_TOKENS:,} "
        f"tokens."
    )
    text = with_block(
        text, "equal-size", f"{about}\n\n{verdict(found)}\n\n{table(found)}"
    )
    text = with_block(text, "equal-size-pairs", pairs_table(found))
    text = with_block(text, "equal-size-halves", halves_table(found))
    return with_block(text, "equal-size-beaten", beaten_table(found))


def main() -> None:
    """Measure and write the page; a folder as argument replaces the corpus."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    found = measure_all(files(folder))
    PAGE.write_text(
        page_with_table(PAGE.read_text("utf-8"), found, date.today()), "utf-8"
    )
    record("equal-size")
    print(table(found))


if __name__ == "__main__":
    main()
