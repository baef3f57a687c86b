"""Tables over real transcripts: ``python -m tests.studies.corpus_tables`` writes them.

The transcripts are not part of the project; where they are missing, the tables stay as they are.
"""

import io
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from core.cli.main import run_command_line
from core.common.errors import FoldlineError
from core.export.export import find_exporter
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportOptions
from core.lint.lint import lint_messages
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings.schema import LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers
from core.strategies.base import DensitySettings, TriggerMode
from core.strategies.density.optimize import apply_density, optimize_history
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import NoOpCode
from core.transcript.model import Conversation
from tests.core.formats.census import files as census_files
from tests.core.formats.census import table as census_table
from tests.core.formats.census import word_census
from tests.support.markdown import markdown, with_block
from tests.support.narrowing import known
from tests.support.source_tree import ROOT

CORPUS = ROOT.parent / "shared" / "corpus"
RESULTS = ROOT / "tests" / "studies" / "results.md"
WITHOUT_MESSAGE = "02_entire-cli.json"
"""A session of Gemini CLI with one warning, which is refused."""


def files(corpus: Path = CORPUS) -> list[Path]:
    if not corpus.is_dir():
        return []
    folders = [
        folder
        for folder in sorted(corpus.iterdir())
        if folder.is_dir() and folder.name != "broken"
    ]
    found = [path for folder in folders for path in sorted(folder.iterdir())]
    return [path for path in found if path.name != WITHOUT_MESSAGE]


@cache
def inspect_json(path: Path) -> dict[str, Any]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run_command_line(["inspect", str(path), "--json"])
    assert code == 0, path
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def census() -> str:
    """Return a line per file; counts are those of its first conversation."""
    counted = (
        "conversations",
        "messages",
        "calls",
        "results",
        "unpaired",
        "recorded",
        "tokens",
        "system",
    )
    return markdown(("file", *counted), list(_census_rows()))


def _census_rows() -> Iterator[tuple[str, ...]]:
    for path in files():
        value = inspect_json(path)
        tokens = value["tokens"]
        known = value["conversations"]
        numbers = (
            len(known) if isinstance(known, list) else int(known),
            *(value[name] for name in ("messages", "tool_calls", "tool_responses")),
            value["unanswered_calls"] + value["orphan_responses"],
            len(value["recorded_compactions"]),
        )
        name = f"`{value['format']}` {path.name.split('_', 1)[0]}"
        total = f"{tokens['method']['mark']}{tokens['total']:,}"
        yield (
            name,
            *(f"{number:,}" for number in numbers),
            total,
            f"{tokens['system']:,}",
        )


def words() -> str:
    """Return a line per format: what is read, skipped and lost of the words in all transcripts."""
    return "\n".join(census_table(word_census()))


MAX_PASSES = 10
"""Conversations of one file that are looked at."""
RETENTION = 3
"""Results of each tool that recency pruning keeps, as the setting's default has it."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Sums over conversations: messages, tokens, and the tokens that each pass alone removes."""

    messages: int
    tokens: int
    passes: tuple[int, ...]


def conversations(path: Path) -> Iterator[Conversation]:
    first = load_conversation(path)
    yield first
    for number in range(2, min(first.siblings, MAX_PASSES) + 1):
        yield load_conversation(path, conversation=number)


def savings(conversation: Conversation, counter: TokenCounter) -> Savings:
    """Return the savings of each pass in a conversation, as if it were the only one."""
    history = conversation.messages
    nothing = DensitySettings(False, False, False, RETENTION, conversation.cwd or "/")
    configs = (
        replace(nothing, read_write_pruning=True),
        replace(nothing, file_dedupe=True),
        replace(nothing, recency_pruning=True),
    )
    before = sum(map(counter.message, history))
    left = (
        apply_density(history, optimize_history(history, config)) for config in configs
    )
    saved = tuple(before - sum(map(counter.message, messages)) for messages in left)
    return Savings(len(history), before, saved)


def density_savings() -> str:
    counter = counter_for("")
    found: dict[str, list[list[Savings]]] = defaultdict(list)
    for path in files():
        read = list(conversations(path))
        found[f"`{read[0].format}`"].append([savings(one, counter) for one in read])
    everything = [file for of_format in found.values() for file in of_format]
    head = (
        "format",
        "files",
        "messages",
        "tokens",
        "read-write",
        "file dedupe",
        "recency",
    )
    return markdown(
        head,
        [_row(name, files) for name, files in (*found.items(), ("all", everything))],
    )


def _row(name: str, found: Sequence[Sequence[Savings]]) -> tuple[str, ...]:
    every = [one for file in found for one in file]
    tokens = sum(one.tokens for one in every)
    saved = [sum(column) for column in zip(*(one.passes for one in every), strict=True)]
    messages = sum(one.messages for one in every)
    shares = (f"{100 * one / tokens:.1f} %" if one else "–" for one in saved)
    return name, f"{len(found):,}", f"{messages:,}", f"{tokens:,}", *shares


SIX = (
    "claude_code/36_entire-cli.jsonl",
    "codex_rollout/05_agentv.jsonl",
    "openai_chat/12_nilenso-completions.json",
    "pi_agent/02_pi-large-session.jsonl",
    "swe_agent/08_swesmith-pr_8316.traj",
    "anthropic_messages/08_roo-natural-mini-uncondensed.json",
)
WORDS = {
    NoOpCode.TOO_FEW: "too few messages",
    NoOpCode.UNDER_TARGET: "under its target",
    NoOpCode.TAIL_COVERS_ALL: "all of it is kept",
    NoOpCode.NOTHING_TO_PRUNE: "nothing to clear",
    NoOpCode.NO_VALID_BOUNDARY: "no place to cut",
    NoOpCode.NOT_SMALLER: "not smaller",
    NoOpCode.SUMMARY_FAILED: "no summary",
}
"""Why nothing was done, in short."""

BASELINE = next(one.name for one in STRATEGIES if one.trigger.mode is TriggerMode.NEVER)
APIS = (("anthropic_messages", "anthropic"), ("openai_chat", "openai"))
"""Formats that a result is written in to see whether their APIs would take it, and how lint calls
those."""

_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The preview of a strategy, or why there is none; and the errors by which APIs would refuse
    the result, but not its source."""

    preview: Preview | None
    failure: str = ""
    faults: tuple[str, ...] = ()

    @property
    def cell(self) -> str:
        if self.preview is None:
            return "summary request too large"
        no_op = self.preview.result.compaction.no_op
        if self.preview.strategy.name == BASELINE:
            return "unchanged"
        if no_op is not None:
            return f"– {WORDS[no_op.code]}"
        size = (
            f"{self.preview.sizes.after_tokens:,} / "
            f"{len(self.preview.result.compaction.messages):,}"
        )
        return f"{size}, not valid" if self.faults else size


def paths() -> list[Path]:
    """Return the six transcripts; none where one is missing."""
    found = [CORPUS / name for name in SIX]
    return found if all(path.is_file() for path in found) else []


def _nameless(path: Path) -> Conversation:
    """Return a transcript without its path, which summaries would name."""
    read = load_conversation(path)
    return replace(
        read, document=replace(read.document, path=None, data=path.read_bytes())
    )


def run_all(path: Path) -> Iterator[tuple[str, RunOutcome]]:
    """Run every strategy and preset as if the transcript just filled the window of its model. The
    first is the baseline, which changes nothing."""
    conversation, stages = _nameless(path), StageCache()
    whole = compute_preview(
        conversation,
        SettingLayers().with_session(STRATEGY, BASELINE).resolve(),
        PreviewOptions(),
        stages,
    )
    limit = -(-whole.sizes.before_tokens // _THOUSAND) * _THOUSAND
    known = _errors(whole)
    for name in (BASELINE, *(one for one in COMPACTION_STRATEGIES if one != BASELINE)):
        layers = SettingLayers().with_session(LIMIT, limit).with_session(STRATEGY, name)
        try:
            made = compute_preview(
                conversation, layers.resolve(), PreviewOptions(checks=False), stages
            )
        except FoldlineError as error:
            yield name, RunOutcome(None, error.message)
        else:
            new = (
                _errors(made) - known
                if made.result.compaction.no_op is None
                else Counter[str]()
            )
            yield name, RunOutcome(made, faults=tuple(sorted(new)))


def _errors(made: Preview) -> Counter[str]:
    found: Counter[str] = Counter()
    given = export_input(made, result=True)
    with tempfile.TemporaryDirectory() as folder:
        for format, provider in APIS:
            path = Path(folder, f"{format}.json")
            path.write_bytes(find_exporter(format).write(given, ExportOptions()).data)
            findings = lint_messages(
                load_conversation(path, format=format).messages, provider
            )
            found.update(one.rule for one in findings if one.severity == "error")
    return found


@cache
def outcomes(path: Path) -> dict[str, RunOutcome]:
    return dict(run_all(path))


def column(path: Path) -> list[str]:
    found = outcomes(path)
    made = known(found[BASELINE].preview)
    before = f"{made.sizes.before_tokens:,} / {len(made.messages):,}"
    return [before, *(found[name].cell for name in COMPACTION_STRATEGIES)]


def six_transcripts() -> str:
    head = (
        "strategy",
        *(f"`{path.parent.name}` {path.name.split('_')[0]}" for path in paths()),
    )
    names = ("before", *(f"`{name}`" for name in COMPACTION_STRATEGIES))
    return markdown(head, list(zip(names, *map(column, paths()), strict=True)))


TABLES: Mapping[str, tuple[Callable[[], str], Callable[[], Sequence[Path]]]] = {
    "census": (census, files),
    "words": (words, census_files),
    "savings": (density_savings, files),
    "six": (six_transcripts, paths),
}
"""By the marks of the table: what writes it, and the transcripts that it is about."""


def page_with_table(mark: str) -> str:
    """Return the results with the present table; unchanged without transcripts."""
    table, transcripts = TABLES[mark]
    text = RESULTS.read_text("utf-8")
    return with_block(text, mark, table()) if transcripts() else text


if __name__ == "__main__":
    for written in TABLES:
        RESULTS.write_text(page_with_table(written), "utf-8")
