"""Made-up results of Compare, and a worker's host that answers with them step by step."""

import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypedDict

from core.analysis.model import ReplayCompaction, ReplayResult, ReplayTrack
from core.app.events import FileExportedEvent
from core.app.remote_methods import ANY_TIME, SERVICES
from core.app.services.preview import PreviewService
from core.app.services.service_host import ServiceHost
from core.app.worker import EventEmitter, InterruptReason
from core.facts.model import Fact, FactKind
from core.losses.evidence import EvidenceStatus, KindCount
from core.losses.needed_later import NeededLater
from core.presentation.compare.model import (
    ComparePage,
    FolderMeans,
    FolderPage,
    ReplayPage,
    SweepAxis,
    SweepKey,
    SweepPage,
)
from core.presentation.dialog_model import CallQuestion
from core.presentation.model import PickerChoice
from core.trials.trial import (
    LostFact,
    PairwiseLosses,
    RecordedComparison,
    Sizes,
    Trial,
    TrialLosses,
    TrialResult,
)
from tests.support.sweep_points import sweep_point

NAMES = ("none", "recorded 1", "middle-out", "one-shot", "high-density", "broken")
_FIGURES = {  # tokens, share of what was needed, gone
    "none": (171_904, 1.0, 0),
    "recorded 1": (38_420, 0.52, 25),
    "middle-out": (71_158, 0.74, 12),
    "one-shot": (37_046, 0.58, 20),
    "high-density": (70_455, 0.91, 3),
}
TURNS = 164


def compare_row(name: str) -> TrialResult:
    if name == "broken":
        return TrialResult(
            trial=Trial(name),
            kind="strategy",
            error="It could not run.",
            scope="all",
            sizes=Sizes(before_tokens=171_904, tokens=0, messages=0),
        )
    tokens, share, gone = _FIGURES[name]
    kinds = (KindCount(FactKind.YOUR_MESSAGE, 50, 50 - gone, 0, gone),)
    needed = NeededLater(100, round(100 * share), round(100 * share))
    kind = "recorded" if name.startswith("recorded") else "strategy"
    return TrialResult(
        trial=Trial(name),
        kind=kind,
        scope="all",
        sizes=Sizes(
            before_tokens=171_904, tokens=tokens, messages=158, before_messages=388
        ),
        losses=TrialLosses(kinds=kinds, needed=needed, gone=gone),
    )


class Progress(TypedDict):
    about: str
    status: str
    done: int
    total: int


def _progress(done: int, total: int) -> Progress:
    return Progress(
        about="made up",
        status=f"{done} of {total} done in 1.2 s",
        done=done,
        total=total,
    )


def compare_page(names: tuple[str, ...] = NAMES, done: int = len(NAMES)) -> ComparePage:
    groups = {"recorded 1": "Recorded"}
    return ComparePage(
        **_progress(done, len(names)),
        names=names,
        choices=tuple(
            PickerChoice(name, name, "", groups.get(name, "General"))
            for name in NAMES[1:]
        ),
        rows=tuple(map(compare_row, names[:done])),
        scope="all",
        footnote="* The price of the recorded call is not in the file.",
        comparisons=(
            RecordedComparison(
                number=1, preset="high-density", sentences=("The agent kept more.",)
            ),
        ),
    )


def _lost(kind: FactKind, text: str, message: int) -> LostFact:
    fact = Fact(kind=kind, key="", text=text, first=message, last=message)
    return LostFact(fact, EvidenceStatus.WORD_FOR_WORD)


def lost_pair(a: str, b: str) -> PairwiseLosses:
    rule = "never run migrations against staging directly"
    lost = (
        _lost(FactKind.YOUR_MESSAGE, rule, 1),
        _lost(FactKind.FILE_CHANGED, "billing/proration.py", 20),
        _lost(FactKind.OPEN_ERROR, "IntegrityError: duplicate key invoice_no", 26),
        _lost(FactKind.NAME, "https://example.org/spec", 2),
    )
    return PairwiseLosses(a=a, b=b, scope="all", lost_in_a=lost[:3], lost_in_b=lost[3:])


def replay_page(
    names: tuple[str, ...] = NAMES[:1] + NAMES[2:5], done: int = 4, limit: int = 0
) -> ReplayPage:
    """A replay of 164 requests with ``done`` lines; all but the first compact at 63 and 120."""
    tracks = []
    for place, name in enumerate(names[:done]):
        sizes, runs = array("q", (1_900 * turn for turn in range(1, TURNS + 1))), []
        for turn in (63 + place, 120 + place) if place else ():
            before = sizes[turn - 1]
            for later in range(turn - 1, TURNS):
                sizes[later] -= 60_000
            runs.append(
                ReplayCompaction(
                    turn=turn, before=before, after=sizes[turn - 1], calls=1, cost=0.0
                )
            )
        tracks.append(
            ReplayTrack(
                name=name,
                sizes=sizes,
                compactions=tuple(runs),
                calls=2,
                sent=sum(sizes),
                rewritten=0,
                over_limit_count=0,
                cost=8.66,
                trigger=170_000,
            )
        )
    result = ReplayResult(
        turns=tuple(range(1, 2 * TURNS, 2)),
        tracks=tuple(tracks),
        limit=limit or 200_000,
        system=0,
    )
    return ReplayPage(
        **_progress(done, len(names)),
        names=names,
        choices=tuple(PickerChoice(name, name, "", "General") for name in NAMES[2:5]),
        result=result,
        model_limit=200_000,
    )


KEYS = (
    SweepKey(
        key="compression.top-preserve-threshold",
        label="Keep Top",
        about="The oldest.",
        first="10 %",
        last="50 %",
        step="10 %",
    ),
    SweepKey(
        key="compression.preserve-threshold",
        label="Keep Bottom",
        about="The newest.",
        values="0.2,0.4",
    ),
)


def sweep_page(vary: tuple[str, ...], done: int = 99) -> SweepPage:
    """One or two settings; five values of the first, two of the second. "bad" in a value is a
    problem."""
    problem = "It is no number." if any("bad" in text for text in vary) else ""
    tenths = tuple(0.1 * number for number in range(1, 6))
    axes = [
        SweepAxis(
            KEYS[0].key,
            "Keep Top",
            tuple(f"{value:.0%}" for value in tenths),
            tenths,
            1,
        )
    ]
    if len(vary) == 2:
        axes.append(
            SweepAxis(
                KEYS[1].key, "Keep Bottom", ("20 %", "40 %"), (0.2, 0.4), 0, False
            )
        )
    points = []
    for first, value in enumerate(tenths):
        for second in range(2 if len(axes) == 2 else 1):
            at = (value, (0.2, 0.4)[second])[: len(axes)]
            tokens = 20_000 + 10_000 * first + 5_000 * second
            points.append(
                sweep_point(
                    *at,
                    tokens=tokens,
                    messages=9,
                    needed_share=0.7,
                    gone=20 - 2 * first,
                )
            )
    shown = () if problem else tuple(points[:done])
    return SweepPage(
        **_progress(len(shown), 0 if problem else len(points)),
        strategy="middle-out",
        keys=KEYS,
        vary=vary,
        axes=() if problem else tuple(axes),
        points=shown,
        before=80_056,
        problem=problem,
    )


def folder_page(*means: FolderMeans, question: str = "") -> FolderPage:
    return FolderPage(
        **_progress(0, 1),
        path="/tmp/logs",
        question=question,
        means=means,
        selected=means[0].name if means else "",
        files=(),
    )


PRICES = CallQuestion(
    title="Compare the summaries of these profiles?",
    text="They go to api.example.",
    facts=(),
    yes_label="Send · at most $0.09",
)


class FakeAnalyses:
    def __init__(self, show: Callable[[], object]) -> None:
        self._show = show

    def compare(
        self, names: tuple[str, ...], aim: float = 0.0
    ) -> Iterator[ComparePage]:
        names = names or NAMES
        for done in range(len(names) + 1):
            time.sleep(0.02)  # long enough to be stopped
            yield compare_page(names, done)

    def compare_profiles(
        self, names: tuple[str, ...], profiles: tuple[str, ...], agreed: bool
    ) -> Iterator[ComparePage]:
        page = compare_page(names, len(names) if agreed else 0)
        yield page if agreed else replace(page, question=PRICES)

    def pair(self, a: str, b: str) -> PairwiseLosses:
        return lost_pair(a, b)

    def replay(self, names: tuple[str, ...], limit: int) -> Iterator[ReplayPage]:
        for done in range(5):
            yield replay_page(done=done, limit=limit)

    def turn(self, name: str, turn: int, limit: int) -> None:
        self._show()

    def sweep(self, vary: tuple[str, ...]) -> Iterator[SweepPage]:
        ranges = vary or (KEYS[0].vary,)
        page = sweep_page(ranges, 0)
        for done in range(0, 12, 2):
            yield page
            if page.is_over:
                break
            page = sweep_page(ranges, done + 2)

    def save_table(self, path: str) -> FileExportedEvent:
        return FileExportedEvent(path, "Wrote it.")


def make_analysis_host(emit: EventEmitter, interrupted: InterruptReason) -> ServiceHost:
    host = ServiceHost(emit, interrupted)
    previews = host.services["PreviewService"]
    assert isinstance(previews, PreviewService)
    analyses = FakeAnalyses(previews.change)
    names = ("CompareService", "ReplayService", "SweepService", "SideBySideService")
    for name in names:  # the fake makes pages itself
        entry = SERVICES[name]
        methods = dict.fromkeys(entry.methods, ANY_TIME)
        SERVICES[name] = replace(entry, methods=methods)
    host.services.update(dict.fromkeys(names, analyses))
    return host
