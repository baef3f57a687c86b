"""The tables of the help page ``measured.md``: what a reader uses of the results of the studies.

The studies and the bench write ``tests/studies/results.md``; nothing is measured here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import median

from core.strategies.names import EXCERPT
from tests.studies.behaviour import changed, digests, recorded
from tests.support.markdown import block_of, markdown, rows_of
from tests.support.source_tree import ROOT

RESULTS = ROOT / "tests" / "studies" / "results.md"
SIZES = ("10%", "20%", "30%")
AT = "20%"
"""The size at which the halves are told."""
MOST_ROWS = 10
SPEED = ("start", "painting", "commands", "large", "sizes", "million")
"""The parts of the bench that a person waits for."""

Row = Mapping[str, str]
_WHOLE = re.compile(r"[\d,]+")


def block(name: str) -> str:
    return block_of(RESULTS.read_text("utf-8"), name)


def rows(name: str) -> list[dict[str, str]]:
    return rows_of(block(name))


def words_above(name: str) -> str:
    """Return what a block says in front of its table."""
    return block(name).partition("\n\n|")[0]


def with_age(study: str, text: str) -> str:
    """Return the text with a sentence behind its first line where the figures are older than the
    code."""
    first, between, rest = text.partition("\n")
    told = changed(digests(study), recorded()[study])
    return f"{first} {told}".rstrip() + between + rest


def equal_size() -> str:
    head = ("strategy", *SIZES, "lines again", "64 characters", "own settings")
    names = (
        "strategy",
        *(f"needed at {size}" for size in SIZES),
        "lines written again",
        "64 characters on both sides",
    )
    own = six()
    cells = []
    for one in rows("equal-size"):
        found = [one[name].removesuffix(" %") for name in names]
        cells.append([*found, own.get(one["strategy"], "–")])
    words, _, lead = words_above("equal-size").partition(f"\n\n`{EXCERPT}`: ")
    leads = "\n".join(f"- {one}" for one in lead.removesuffix(".").split("; "))
    told = f"{with_age('equal-size', words)} `{EXCERPT}` beside the best other one:"
    return f"{told}\n\n{leads}\n\n{markdown(head, cells)}"


def pairs() -> str:
    """Return one line a strategy, with the mean difference by each measure."""
    found: dict[str, list[str]] = {}
    measures = []
    for one in rows("equal-size-pairs"):
        measures += [one[""]] if one[""] not in measures else []
        found.setdefault(one["against"], []).append(one["mean of the sizes"])
    return markdown(
        ("against", *measures), [[name, *cells] for name, cells in found.items()]
    )


def halves() -> str:
    shown = [one for one in rows("equal-size-halves") if one["size"] == AT]
    names = [name for name in shown[0] if name != "size"]
    best = [one["strategy"] for one in shown][:2]
    cells = [[one[name] for name in names] for one in shown if one["strategy"] in best]
    return markdown(names, cells)


def beaten() -> str:
    """Return on how many transcripts another strategy is ahead, by measure."""
    counts: dict[str, int] = {}
    for one in rows("equal-size-beaten"):
        counts[one[""]] = counts.get(one[""], 0) + 1
    told = ", ".join(
        f"{count} by *{measure.removeprefix('by ')}*"
        for measure, count in counts.items()
    )
    return (
        f"Transcripts on which another strategy is more than ten points ahead: {told}."
    )


def canaries() -> str:
    shown = rows("canaries")[:MOST_ROWS]
    cells = [[cell.removesuffix(" %") for cell in one.values()] for one in shown]
    words = with_age("canaries", words_above("canaries"))
    return f"{words}\n\n{markdown([*shown[0]], cells)}"


def six() -> dict[str, str]:
    """Return which percentage of the tokens each strategy leaves: the median of those of the six
    transcripts that it changed."""
    before, *shown = rows("six")
    names = [name for name in before if name != "strategy"]
    sizes = {name: _tokens(before[name]) for name in names}
    found = {}
    for one in shown:
        left = [
            100 * _tokens(one[name]) / sizes[name]
            for name in names
            if _acted(one[name])
        ]
        if left:
            found[one["strategy"]] = f"{median(left):.0f}"
    return found


def _acted(cell: str) -> bool:
    return " / " in cell


def _tokens(cell: str) -> int:
    return int(cell.partition(" / ")[0].replace(",", ""))


def losses() -> str:
    """Return how well losses are found; of the order of the list its beginning alone."""
    left_out = ("first 50 lines", "first 200 lines")
    lines = with_age("losses-study", block("losses-study")).splitlines()
    return "\n".join(
        line for line in lines if not any(words in line for words in left_out)
    )


def backtest() -> str:
    return with_age("backtest-study", block("backtest-study"))


def savings() -> str:
    whole = rows("savings")[-1]
    passes = ("read-write", "file dedupe", "recency")
    told = ", ".join(f"{name} {whole[name]}" for name in passes)
    return f"Of {whole['tokens']} tokens in {whole['files']} transcripts: {told}."


def reading() -> str:
    """Return the sums of what is read of all transcripts."""
    census, words = rows("census"), rows("words")
    shown = {name: _sum(census, name) for name in ("messages", "calls", "results")}
    formats = {one["file"].split()[0] for one in census}
    counted = {
        name: _sum(words, name) for name in ("files", "words read", "skipped", "lost")
    }
    first = (
        f"Counted twice: {len(census)} real transcripts of {len(formats)} formats with "
        f"{shown['messages']:,} messages, {shown['calls']:,} calls and {shown['results']:,} results."
    )
    second = (
        f"Words of {counted['files']:,} transcripts and samples: {counted['words read']:,} read, "
        f"{counted['skipped']:,} skipped and said, {counted['lost']:,} lost."
    )
    return f"{first} {second}"


def _sum(found: list[dict[str, str]], name: str) -> int:
    return sum(
        int(one[name].replace(",", "")) for one in found if _WHOLE.fullmatch(one[name])
    )


def speed() -> str:
    cells = [
        [one["what"], one["measured"], _bound(one)]
        for part in SPEED
        for one in rows(f"bench {part}")
    ]
    linear = [(float(one["figure"]), one) for one in rows("bench linear")]
    _, slowest = max(linear, key=lambda pair: pair[0])
    last = f"cost a message of 100,000 against one of 1,000, the worst of {len(linear)} strategies"
    cells.append([last, slowest["figure"], _bound(slowest)])
    return f"{_days()}\n\n{markdown(('what', 'measured', 'limit'), cells)}"


def _bound(row: Row) -> str:
    """Return the limit of a row, with the verdict where it is not met."""
    verdict = row["verdict"]
    return row["limit"] if verdict == "met" else f"{row['limit']}: {verdict}"


def _days() -> str:
    told = sorted(_first_lines())
    first, last = told[0][:10], told[-1][:10]
    machine = told[-1].partition(", ")[2].partition("; ")[0]
    return f"Measured from {first} to {last} on {machine}."


def _first_lines() -> Iterator[str]:
    for part in (*SPEED, "linear"):
        yield words_above(f"bench {part}")


MEASURED: Mapping[str, Callable[[], str]] = {
    "measured-sizes": equal_size,
    "measured-pairs": pairs,
    "measured-halves": halves,
    "measured-beaten": beaten,
    "measured-planted": canaries,
    "measured-savings": savings,
    "measured-reading": reading,
    "measured-losses": losses,
    "measured-facts": partial(block, "facts-study"),
    "measured-backtest": backtest,
    "measured-speed": speed,
}
