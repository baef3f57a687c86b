"""Comparing on all cores against one, as jobs and as a command, and what a replay costs as sessions grow."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from core.analysis.compare.folder_job import FileComparisonJob, FileComparisonResult, compare_file
from core.analysis.replay.replay import replay_all
from core.common.process_pool import ProcessPool, process_count
from core.preview.options import PreviewOptions
from core.settings.keys import LIMIT
from core.strategies import high_density
from core.transcript.model import Conversation
from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import run, wait_for_quiet
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.session_file import write_messages
from tests.builders import conversation
from tests.core.strategies.strategy_running import values

SPREAD = 1.3
"""Most that a comparison may take on all cores, times what an equal share of one core's time would be: two
may take 0.65 of one. What is left is the start of the processes, each of which loads the tokenizer."""
GROWTH = 1.5
"""Most that a message of a long session may cost in a replay, times one of a short session."""
ENDLESS_GROWTH = 2.5
"""The same where nothing is ever compacted: each turn hands over the whole history and compares it by the
identity of its messages, and what density changed is counted anew; to read it all again would be 10."""
SHORT, LONG = 1_000, 10_000
WIDE, WIDER = 10_000, 20_000
"""Messages of those for strategies that always keep as much as a small window holds."""
LATER, LONGER = 10_000, 40_000
"""Messages of those for presets that begin to act at a size of their own, above that of a short session."""
FEW, MORE = 500, 2_000
"""Messages of those for strategies that look at the whole history on nearly every turn."""
FAR = 100_000
"""Messages of a session of many days: replayed once, for that takes half a minute."""
SMALL_WINDOW, WIDE_WINDOW, ENDLESS = 20_000, 200_000, 10_000_000
"""Tokens of the window of a replay: even a short session compacts again and again, one of ten thousand
messages does, or none ever does."""
_FILES, _MESSAGES, _ROUNDS = 8, 2_500, 3
_NAMES = ("none", "middle-out", "top-down-truncation", "high-density")
_PLAYED = (
    *_NAMES[1:],
    "one-shot",
    "tiered",
    "pinned-hybrid",
    "claude-code",
    "gemini-compress",
    "gemini-masking",
    "opencode-prune",
    "opencode-2",
    "openhands",
    "mask-observations",
)
_FAR = (*_NAMES[1:], "one-shot", "tiered", "pinned-hybrid")
_LATE = ("anthropic-clear-tool-uses", "langchain-summarization")
_KEEPING = ("pi", "codex-local")
_EVERY_TURN = "hybrid"
_QUIET = 60.0
_COMMAND = """
import contextlib, io, json, sys
from core.cli.main import run_command_line

if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = run_command_line(["compare", *sys.argv[1:], "--csv", "--quiet", "--fresh"])
    print(json.dumps([code, told.getvalue().count("\\n")]))
"""


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this page."""
    folder = home / "folder"
    folder.mkdir()
    for number in range(_FILES):
        write_messages(folder / f"part{number}.jsonl", _MESSAGES, number)
    yield _comparing(folder)
    yield _commanding(folder, home)
    for name in _PLAYED:
        yield _replaying(name, SMALL_WINDOW, (SHORT, LONG), GROWTH)
    for name in _FAR:
        yield _replaying(name, SMALL_WINDOW, (LONG, FAR), GROWTH, rounds=1)
    for name in _KEEPING:
        yield _replaying(name, WIDE_WINDOW, (WIDE, WIDER), GROWTH)
    for name in _LATE:
        yield _replaying(name, SMALL_WINDOW, (LATER, LONGER), GROWTH)
    yield _replaying(high_density.NAME, ENDLESS, (SHORT, LONG), ENDLESS_GROWTH)
    yield _replaying("cline-basic", SMALL_WINDOW, (WIDE, WIDER), GROWTH)
    yield _replaying(_EVERY_TURN, SMALL_WINDOW, (FEW, MORE), None)


def _comparing(folder: Path) -> Claim:
    jobs = [
        FileComparisonJob(str(path), path.name, _NAMES, values(), "all") for path in sorted(folder.iterdir())
    ]
    return _spread("comparing", lambda size, number: _compared(jobs, size))


def _commanding(folder: Path, home: Path) -> Claim:
    named = [part for name in _NAMES for part in ("-s", name)]

    def command(size: int, number: int) -> None:
        arguments = [str(folder), *named, "--engine", f"cores:{size}"]
        code, lines = run(_COMMAND, arguments, home / f"command{number}-{size}")
        assert (code, lines) == (0, 1 + _FILES * len(_NAMES)), "the command told something else"

    return _spread("foldline compare DIR,", command)


def _spread(what: str, work: Callable[[int, int], object]) -> Claim:
    """``work`` on one core and on all by turns; it is given how many, and the number of the round."""
    rounds = []
    for number in range(_ROUNDS):
        wait_for_quiet(_QUIET)
        rounds.append([_seconds(work, size, number) for size in (1, process_count())])
    one, many = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(many / one for one, many in rounds)
    name = f"{what} {_FILES} files of {_MESSAGES:,} messages on {process_count()} cores; one core = 1"
    return Claim(name, f"{many:.1f} s of {one:.1f} s", ratio, min(1.1, SPREAD / process_count()))


def _seconds(work: Callable[[int, int], object], size: int, number: int) -> float:
    began = time.perf_counter()
    work(size, number)
    return time.perf_counter() - began


def _compared(jobs: list[FileComparisonJob], size: int) -> None:
    with closing(ProcessPool(compare_file, size).run(jobs)) as results:
        for _, result in results:
            assert isinstance(result, FileComparisonResult), result
            assert not result.problem, result.problem


def _replaying(
    name: str, window: int, sizes: tuple[int, int], limit: float | None, rounds: int = _ROUNDS
) -> Claim:
    few, many = sizes
    short = [conversation(*agent_loop(few, seed), model="gpt-4o") for seed in range(many // few)]
    long = [conversation(*agent_loop(many), model="gpt-4o")]
    _played(name, short[:1], window)  # what is loaded on first use is not the turns' cost
    spent = [(_played(name, short, window), _played(name, long, window)) for _ in range(rounds)]
    low, high = (statistics.median(column) for column in zip(*spent, strict=True))
    told = f"{high:.0f} µs, {few:,}: {low:.0f} µs"
    ratio = statistics.median(two / one for one, two in spent)
    where = "that never fills up" if window == ENDLESS else f"of {window:,} tokens"
    what = f"replay under {name} in a window {where}"
    return Claim(f"{what}, a message of {many:,}; of {few:,} = 1", told, ratio, limit)


def _played(name: str, talks: list[Conversation], window: int) -> float:
    """Microseconds of processor time per message."""
    began = time.process_time()
    for talk in talks:
        replay_all(talk, (name,), values(**{LIMIT: window}), PreviewOptions())
    return (time.process_time() - began) / sum(len(talk.messages) for talk in talks) * 1e6
