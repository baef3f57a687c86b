"""The results of ``foldline compare`` as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.compare.compare import CSV_COLUMNS, Comparison, csv_cells, flat_row, means_by_name, to_json
from core.analysis.compare.rows import provider_of
from core.analysis.losses.model import KindCount
from core.analysis.model import (
    CompareRow,
    FolderCompareRow,
    FolderMeans,
    LostFact,
    PairwiseLosses,
    RecordedComparison,
    kept_shares,
)
from core.analysis.summary_price import PricingModel
from core.cli.output.console import write_bytes
from core.cli.output.json_output import run_json, sizes_json, writer_json
from core.cli.output.tables import aligned_table, more_line, paragraph, titled_section
from core.common import number_format
from core.common.excerpts import ellipsize, one_line_text
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, count, dollar_text
from core.facts.model import FactKind
from core.presentation.compare.columns import row_standing
from core.presentation.preview_wording import warning_texts
from core.settings.profile import OFFLINE

if TYPE_CHECKING:
    from core.analysis.compare.folder_job import FileComparisonResult, FolderComparison
    from core.cli.opened_transcript import OpenedConversation
    from core.preview.options import Preview


_NEEDED_COLUMNS = ("needed later", "backtest")
_FIRST_COLUMNS = (
    "",
    "",
    "saved",
    "messages",
    *_NEEDED_COLUMNS,
    "your messages",
    "files",
    "errors",
    "made up",
)
_LAST_COLUMNS = ("prefix", "calls", "≈ cost", "pays back", "lint", "time")
_FRONT_NOTE = "* nothing else here keeps more of {needed} in fewer tokens"
_NARROW = (15, 10, 9, 7, 8, 11, 3, 13, 5, 14, 12)
"""Columns that go first where the terminal is narrow; _NARROW_FOLDER those of a folder's table."""
_NARROW_FOLDER = (12, 5, 8, 9, 11, 10, 7, 2)
_MAX_FACT_LENGTH = 70
_MAX_FACTS = 40


@dataclass(frozen=True, slots=True)
class CompareOutput:
    """The comparison of one file over its unchanged ``source``; ``summaries`` names who wrote them."""

    transcript: OpenedConversation
    comparison: Comparison
    source: Preview
    summaries: str
    against: PairwiseLosses | None


def file_report(output: CompareOutput) -> Iterator[str]:
    source, mark, rows = output.source, output.source.sizes.count_method.mark, output.comparison.rows
    name = one_line_text(output.transcript.conversation.document.name, 60)
    writer = written_by(output.summaries, output.comparison.source.price)
    scope = source.source.history.scope
    tokens = f"{number_format.tokens(mark, source.sizes.before_tokens)} tokens"
    size = f"{number_format.plural(len(source.messages), 'message')}, {tokens}"
    yield f"{name} · scope {scope} · {size} · {writer}"
    yield from output.transcript.scope_lines
    yield ""
    head = ("", f"{mark} tokens", *_FIRST_COLUMNS[2:], *_LAST_COLUMNS)
    yield from aligned_table(
        [_row(row) for row in rows], range(1, len(head)), head=head, indent="", drop=_NARROW
    )
    if any(row.on_front for row in rows):
        _, is_backtest = kept_shares(rows, scope)
        needed = "what its own past needed" if is_backtest else "what later turns needed"
        yield _FRONT_NOTE.format(needed=needed)
    yield from titled_section("Notes", list(_notes(rows, scope)))
    title = "What the agent did, and what its preset would have done"
    yield from titled_section(title, list(_recorded(output.comparison.recorded)))
    if output.against is not None:
        yield from pairwise_lines(output.against)


def written_by(profile: str, price: PricingModel) -> str:
    """Return who wrote the summaries, and the model by whose price unpaid ones are priced."""
    writer = "all summaries offline" if profile == OFFLINE else f"summaries by {profile}"
    return f"{writer}, priced as {price.model}" if price.is_known and price.model != profile else writer


def _row(row: CompareRow) -> tuple[str, ...]:
    name = f"{row.name}{' *' if row.on_front else ''}"
    if row.error:
        return (name, *[UNKNOWN] * 14, _seconds(row.seconds))
    saved = (
        1 - row.sizes.tokens / row.sizes.before_tokens
        if row.sizes.before_tokens and not row.sizes.hidden
        else None
    )
    is_recorded, cost, needed = row.kind == "recorded", row.cost, row.kept.needed
    kinds = (FactKind.YOUR_MESSAGE, FactKind.FILE_CHANGED, FactKind.OPEN_ERROR)
    return (
        name,
        number_format.at_least(count(row.sizes.tokens), row.sizes.hidden),
        _saved(saved),
        count(row.sizes.messages),
        f"{needed.kept} of {needed.used}" if needed and needed.used else UNKNOWN,
        _backtest(row),
        *(_kept(row.kept.kinds, kind) for kind in kinds),
        UNKNOWN if row.kept.gone is None else count(row.kept.nowhere),
        count(cost.prefix) if cost else UNKNOWN,
        UNKNOWN if is_recorded else count(row.calls),
        dollar_text(cost.summary if cost else None),
        cost.break_even_text if cost and not row.no_op else UNKNOWN,
        _lint(*row.lint),
        UNKNOWN if is_recorded else _seconds(row.seconds),
    )


def _backtest(row: CompareRow) -> str:
    share = None if row.kept.backtest is None else row.kept.backtest.share
    return UNKNOWN if share is None else number_format.percent(share, 0)


def _kept(counts: Sequence[KindCount], kind: FactKind) -> str:
    """Return how many facts of a kind stand word for word: "9 of 12"."""
    return next((f"{one.word_for_word} of {one.total}" for one in counts if one.kind is kind), UNKNOWN)


def _lint(errors: int, warnings: int) -> str:
    if errors:
        return number_format.plural(errors, "error")
    return number_format.plural(warnings, "warning") if warnings else "ok"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s"


def _notes(rows: Sequence[CompareRow], scope: str) -> Iterator[str]:
    """Yield what a row cannot say in figures: why nothing changed, why it failed, other notes."""
    for row in rows:
        words = [row.note, row.no_op, row.error, "" if row.error else row_standing(row).text]
        if row.scope != scope:
            messages = number_format.plural(row.sizes.before_messages, "message")
            size = f"{messages}, {number_format.plural(row.sizes.before_tokens, 'token')}"
            words.insert(0, f"of what the agent had then ({row.scope}: {size})")
        parts = [one_line_text(note, 300).rstrip(".") for note in words if note]
        if text := "".join(f"{'. ' if part[:1].isupper() else '; '}{part}" for part in parts):
            yield from paragraph(f"{row.name}: {text[2:]}.", "  ", "  ")


def _recorded(comparisons: Sequence[RecordedComparison]) -> Iterator[str]:
    for comparison in comparisons:
        yield f"  recorded {comparison.number} and {comparison.preset}"
        for sentence in comparison.sentences:
            yield from paragraph(sentence, "    ", "  ")


def pairwise_lines(losses: PairwiseLosses) -> Iterator[str]:
    """Yield the facts that one lost and the other has, both ways."""
    for loser, keeper, facts in (
        (losses.a, losses.b, losses.lost_in_a),
        (losses.b, losses.a, losses.lost_in_b),
    ):
        title = f"Gone with {loser}, not with {keeper}: {number_format.plural(len(facts), 'fact')}"
        yield from titled_section(title, _facts(facts) or ["  none"])


def _facts(facts: Sequence[LostFact]) -> list[str]:
    rows = [
        (
            number_format.message_number(lost_fact.fact.first),
            lost_fact.fact.kind.value,
            lost_fact.status.value,
            ellipsize(one_line_text(lost_fact.fact.text, 400), _MAX_FACT_LENGTH),
        )
        for lost_fact in facts[:_MAX_FACTS]
    ]
    return [*aligned_table(rows, (0,)), *more_line(len(facts) - _MAX_FACTS)]


def folder_report(files: Sequence[FileComparisonResult]) -> Iterator[str]:
    """Yield a line per file and name, then the means by name."""
    lines = [line for file in files for line in file.rows]
    sizes = ("file", "", "before", "tokens", "saved", "messages", "needed later", "your messages", "calls")
    head = (*sizes, "pays back", "lint", "", "time")
    right = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)
    yield from aligned_table(map(_line, lines), right, head=head, indent="", drop=_NARROW_FOLDER)
    yield from titled_section("Means", _means(means_by_name(lines)))


def _line(line: FolderCompareRow) -> tuple[str, ...]:
    return (
        one_line_text(line.file, 200),
        f"{line.name}{' *' if line.on_front else ''}",
        number_format.tokens(line.method, line.before_tokens),
        number_format.at_least(number_format.tokens(line.method, line.tokens), line.hidden),
        _saved(line.saved),
        number_format.tokens("", line.messages),
        _share(line.needed_share),
        UNKNOWN if line.said is None else f"{line.said_word_for_word} of {line.said}",
        count(line.calls),
        line.break_even_text,
        _lint(line.lint_errors, line.lint_warnings) if not line.error else UNKNOWN,
        one_line_text(line.error or line.no_op or line.note, 200),
        _seconds(line.seconds),
    )


def _saved(share: float | None) -> str:
    if not share:
        return UNKNOWN if share is None else "0"
    return f"{'+' if share < 0 else ''}{number_format.percent(-share)}"


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else number_format.percent(value)


def _means(all_means: Sequence[FolderMeans]) -> list[str]:
    rows = [
        (
            mean.name,
            count(mean.files),
            count(mean.no_ops),
            count(mean.errors),
            UNKNOWN if mean.tokens is None else count(round(mean.tokens)),
            _saved(mean.saved),
            UNKNOWN if mean.saved_spread is None else f"{mean.saved_spread * 100:.1f}",
            _share(mean.needed_share),
            UNKNOWN if mean.needed_spread is None else f"{mean.needed_spread * 100:.1f}",
            _share(mean.said_share),
            dollar_text(mean.summary_cost),
            number_format.payback_text(mean.break_even, is_known=mean.break_even is not None),
            count(mean.lint_errors),
            _seconds(mean.seconds),
        )
        for mean in all_means
    ]
    means = ("", "files", "no-ops", "failed", "tokens", "saved", "±", "needed later", "±", "your messages")
    head = (*means, "≈ cost", "pays back", "new errors", "time in all")
    return aligned_table(rows, range(1, len(head)), head=head) if rows else []


def write_csv(lines: Iterable[FolderCompareRow]) -> None:
    """Write a line of titles, then a line for each row; an unknown value is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(csv_cells, lines))
    write_bytes(output.getvalue().encode("utf-8", "backslashreplace"))


def file_values(output: CompareOutput) -> dict[str, Json]:
    conversation, source, comparison = output.transcript.conversation, output.source, output.comparison
    name = conversation.document.name
    rows = [flat_row(name, row, source.sizes.count_method.mark) for row in comparison.rows]
    run = run_json(source)
    return {
        "file": name,
        "folder": None,
        "engine": None,
        "format": output.transcript.reader.name,
        "conversation": output.transcript.conversation.number,
        "scope": source.source.history.scope,
        "model": run["model"],
        "limit": run["limit"],
        "provider": provider_of(conversation),
        "method": run["method"],
        **writer_json(output.summaries, comparison.source.price),
        "before": sizes_json(source)["before"],
        "files": {"compared": 1, "resumed": 0, "unread": []},
        **_rows_json(rows),
        "against_recorded": list(map(_recorded_json, comparison.recorded)),
        "against": _against(output.against),
        "warnings": warning_texts(conversation),
    }


def folder_values(folder: str, engine: str, comparison: FolderComparison) -> dict[str, Json]:
    """Return the keys for a folder; those of a single file are null."""
    files, job = comparison.done, comparison.job
    failed_files = [{"file": file.name, "reason": file.problem} for file in files if file.problem]
    compared = len(files) - len(failed_files)
    return {
        "file": None,
        "folder": folder,
        "engine": engine,
        "format": None,
        "conversation": 1,
        "scope": job.scope or None,
        "model": None,
        "limit": {"tokens": None, "source": None},
        "provider": None,
        "method": {"mark": None, "label": None},
        "summaries": job.profile.name,
        "price_as": job.price_as or None,
        "before": {"messages": None, "tokens": None},
        "files": {"compared": compared, "resumed": comparison.resumed, "unread": failed_files},
        **_rows_json([line for file in files for line in file.rows]),
        "against_recorded": [],
        "against": None,
        "warnings": comparison.problems,
    }


def _rows_json(rows: Sequence[FolderCompareRow]) -> dict[str, Json]:
    return {"rows": map(to_json, rows), "means": means_by_name(rows)}


def _against(losses: PairwiseLosses | None) -> Json:
    """Return the facts that are gone from each of two rows; null where no two were chosen."""
    return losses and {"a": losses.a, "b": losses.b} | {
        side: [
            {"kind": lost.fact.kind, "text": lost.fact.text, "first": lost.fact.first, "last": lost.fact.last}
            | {"in_the_other": lost.status}
            for lost in getattr(losses, side)
        ]
        for side in ("lost_in_a", "lost_in_b")
    }


def _recorded_json(comparison: RecordedComparison) -> Json:
    names = ("tokens", "summary_tokens", "said")
    return {
        "number": comparison.number,
        "preset": comparison.preset,
        **{name: dict(zip(("agent", "preset"), getattr(comparison, name), strict=True)) for name in names},
        "kept": dict(zip(("both", "agent_alone", "preset_alone"), comparison.messages, strict=True)),
        "sentences": comparison.sentences,
    }
