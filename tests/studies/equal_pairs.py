"""Paired differences between excerpt and other strategies over the same transcripts, with
intervals."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.strategies.excerpt import NAME
from tests.support.markdown import markdown

RAW_TAIL = (
    "top-down-truncation",
    "none",
)  # the newest messages, as the strategy cuts and as we cut
OLD_OUTPUT = (
    "hybrid",
    "mask-observations",
)  # they keep all messages and shorten old output
NEXT_BEST = 3  # strategies per metric
BEATEN_BY = 0.10
RESAMPLES = 5000
SEED = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeResult:
    """One result: its share of the source, and what of the needed is there, by each measure."""

    file: str
    strategy: str
    share: float
    size: float
    recall: float | None
    plain_recall: float | None
    again: float | None
    around: float | None


METRICS: Mapping[str, Callable[[SizeResult], float | None]] = {
    "needed, in context": lambda one: one.recall,
    "by another list of names": lambda one: one.plain_recall,
    "lines written again": lambda one: one.again,
    "64 characters on both sides": lambda one: one.around,
}
_Means = Mapping[str, Mapping[str, float]]  # by strategy and file


def pairs_table(found: Sequence[SizeResult]) -> str:
    """Return a line per metric and strategy: the mean difference in points with its 95 %
    interval."""
    shares = sorted({one.share for one in found})
    rows = []
    for metric in METRICS:
        columns = [_file_means(found, metric, (share,)) for share in shares]
        columns.append(_file_means(found, metric, shares))
        for other in _next_best(found):
            cells = [_interval_text(_differences(column, other)) for column in columns]
            rows.append([metric, f"`{other}`", *cells])
    return markdown(
        ["", "against", *(f"at {share:.0%}" for share in shares), "mean of the sizes"],
        rows,
    )


def beaten_table(found: Sequence[SizeResult]) -> str:
    """Return a line per transcript and metric where another strategy is better by more than ten
    points over the sizes, or the raw tail at one of them."""
    shares = sorted({one.share for one in found})
    rows = []
    for metric in METRICS:
        means = _file_means(found, metric, shares)
        for file, ours in sorted(means[NAME].items()):
            others = {
                name: one[file]
                for name, one in means.items()
                if file in one and name != NAME
            }
            best = max(others, key=lambda name: (others[name], name))
            raw = "; ".join(_raw_tail_losses(found, metric, file, shares))
            if raw or others[best] - ours > BEATEN_BY:
                by = (
                    f"`{best}` {_points(others[best] - ours)}"
                    if others[best] - ours > BEATEN_BY
                    else "–"
                )
                rows.append([file, metric, f"{100 * ours:.0f} %", raw or "–", by])
    head = [
        "transcript",
        "",
        f"`{NAME}`",
        "raw tail is better",
        "best other, mean of the sizes",
    ]
    return markdown(head, rows)


def _raw_tail_losses(
    found: Sequence[SizeResult], metric: str, file: str, shares: Sequence[float]
) -> list[str]:
    losses = []
    for label, chosen in [
        *((f"at {share:.0%}", (share,)) for share in shares),
        ("mean", tuple(shares)),
    ]:
        means = _file_means([one for one in found if one.file == file], metric, chosen)
        tail = max(
            (means[name][file] for name in RAW_TAIL if file in means.get(name, {})),
            default=0.0,
        )
        if file in means[NAME] and tail - means[NAME][file] > BEATEN_BY:
            losses.append(f"{label} {_points(tail - means[NAME][file])}")
    return losses


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean, by a fixed seed."""
    rng = random.Random(SEED)
    means = sorted(
        fmean(rng.choices(differences, k=len(differences))) for _ in range(RESAMPLES)
    )
    return means[round(0.025 * RESAMPLES)], means[round(0.975 * RESAMPLES) - 1]


def _interval_text(differences: Sequence[float]) -> str:
    if not differences:
        return "–"
    low, high = interval(differences)
    return f"{_points(fmean(differences))} [{_points(low)}, {_points(high)}]"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _differences(means: _Means, other: str) -> list[float]:
    ours, theirs = means[NAME], means.get(other, {})
    return [ours[file] - theirs[file] for file in sorted(ours.keys() & theirs.keys())]


def _next_best(found: Sequence[SizeResult]) -> list[str]:
    shares = sorted({one.share for one in found})
    names: list[str] = []
    for metric in METRICS:
        means = _file_means(found, metric, shares)
        ranked = sorted(
            means.keys() - {NAME}, key=lambda name: (-fmean(means[name].values()), name)
        )
        names += ranked[:NEXT_BEST]
    present = {one.strategy for one in found}
    always = (name for name in (*OLD_OUTPUT, *RAW_TAIL) if name in present)
    return list(dict.fromkeys((*names, *always)))


def _file_means(
    found: Sequence[SizeResult], metric: str, shares: Sequence[float]
) -> _Means:
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in found:
        value = METRICS[metric](one)
        if one.share in shares and value is not None:
            values[one.strategy][one.file].append(value)
    return {
        name: {file: fmean(known) for file, known in by_file.items()}
        for name, by_file in values.items()
    }
