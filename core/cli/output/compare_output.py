"""The results of ``foldline compare`` as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.analysis.costs import PricingModel
from core.cli.output.console import write_bytes
from core.cli.output.json_output import run_json, sizes_json, summary_profile_json
from core.cli.output.tables import (
    aligned_table,
    legend,
    more_line,
    paragraph,
    result_cells,
    result_head,
    titled_section,
    titled_table,
)
from core.common import number_format
from core.common.excerpts import ellipsize, one_line_text
from core.common.json_value import Json
from core.presentation.compare.columns import (
    COMPARE,
    CSV_COLUMNS,
    FILES,
    FOLDER,
    csv_cells,
    means_by_name,
    means_json,
    missed_aim,
    row_json,
    row_standing,
    set_options,
)
from core.presentation.compare.model import ResultTable
from core.presentation.compare.pages import aim_text
from core.presentation.compare.results import needed_by
from core.presentation.preview_wording import warning_texts
from core.settings.profile import OFFLINE
from core.trials.by_strategy import Comparison
from core.trials.run import provider_of
from core.trials.trial import (
    LostFact,
    PairwiseLosses,
    RecordedComparison,
    TrialResult,
    kept_shares,
)

if TYPE_CHECKING:
    from core.cli.opened_transcript import OpenedConversation
    from core.preview.options import Preview
    from core.trials.session_work import FolderComparison, Results
    from core.trials.sessions import SessionAnswer


_FRONT_NOTE = "* nothing else here keeps more of {needed} in fewer tokens"
_NARROW = (
    *(
        "seconds",
        "prefix",
        "said_by_nobody",
        "nowhere",
        "instructions",
        "files changed",
        "open errors",
        "calls",
    ),
    *("messages", "break_even", "backtest_share", "lint_errors", "summary_cost"),
)
"""Columns that go first where the terminal is narrow; _NARROW_FOLDER those of a folder's table."""
_NARROW_FOLDER = (
    "seconds",
    "messages",
    "calls",
    "said_by_nobody",
    "nowhere",
    "summary_cost",
    "break_even",
)
_MAX_FACT_LENGTH = 70
_MAX_FACTS = 40


@dataclass(frozen=True, slots=True)
class CompareOutput:
    """The comparison of one file over its unchanged ``source``; ``summaries`` names who wrote
    them."""

    transcript: OpenedConversation
    comparison: Comparison
    source: Preview
    summaries: str
    against: PairwiseLosses | None


def file_report(output: CompareOutput) -> Iterator[str]:
    source = output.source
    mark = output.source.sizes.count_method.mark
    rows = output.comparison.rows
    name = one_line_text(output.transcript.conversation.document.name, 60)
    summaries = written_by(output.summaries, output.comparison.source.price)
    scope = source.source.history.scope
    tokens = f"{number_format.tokens(mark, source.sizes.before_tokens)} tokens"
    size = f"{number_format.plural(len(source.messages), 'message')}, {tokens}"
    yield f"{name} · scope {scope} · {size} · {summaries}"
    yield from output.transcript.scope_lines
    if output.comparison.aim:
        yield f"aim {aim_text(output.comparison)}"
    yield ""
    table = COMPARE.of_rows(rows)
    head = (table.title, *result_head(table, mark))
    lines = [
        (_name(row), *result_cells(table, row)) for row in rows if not row.misses_aim
    ]
    shown = aligned_table(
        lines,
        range(1, len(head)),
        head=head,
        indent="",
        drop=_indices(table, _NARROW, 1),
    )
    yield from shown
    if any(row.on_front for row in rows):
        _, is_backtest = kept_shares(rows, scope)
        yield _FRONT_NOTE.format(needed=needed_by(is_backtest=is_backtest))
    yield from legend(table, [row for row in rows if not row.misses_aim], shown)
    yield from _missed(rows)
    reached = [row for row in rows if not row.misses_aim]
    yield from titled_section("Notes", list(_notes(reached, scope)))
    title = "What the agent did, and what its preset would have done"
    yield from titled_section(title, list(_recorded(output.comparison.recorded)))
    if output.against is not None:
        yield from pairwise_lines(output.against)


def _missed(rows: Sequence[TrialResult]) -> Iterator[str]:
    """Yield the strategies that cannot reach the aim, with the least that each leaves."""
    missed = sorted(
        (row for row in rows if row.misses_aim), key=lambda row: row.sizes.tokens
    )
    yield from titled_table(
        "Out of reach", [(row.name, missed_aim(row)) for row in missed]
    )


def written_by(profile: str, price: PricingModel) -> str:
    """Return who wrote the summaries, and the model by whose price unpaid ones are priced."""
    if profile == OFFLINE:
        summaries = "all summaries offline"
    else:
        summaries = f"summaries by {profile}"
    if price.is_known and price.model != profile:
        return f"{summaries}, priced as {price.model}"
    return summaries


def _name(row: TrialResult) -> str:
    return f"{row.name}{' *' if row.on_front else ''}"


def _indices(
    table: ResultTable[TrialResult], keys: Sequence[str], first: int
) -> list[int]:
    """Return where the columns of these keys stand in a table that begins with ``first`` others."""
    order = [one.key for one in table.columns]
    return [first + order.index(key) for key in keys if key in order]


def _notes(rows: Sequence[TrialResult], scope: str) -> Iterator[str]:
    """Yield what a row cannot say in figures: why nothing changed, why it failed, other notes."""
    for row in rows:
        words = [
            row.note,
            row.no_op,
            row.error,
            "" if row.error else row_standing(row).text,
        ]
        if row.scope != scope:
            messages = number_format.plural(row.sizes.before_messages, "message")
            size = (
                f"{messages}, {number_format.plural(row.sizes.before_tokens, 'token')}"
            )
            words.insert(0, f"of what the agent had then ({row.scope}: {size})")
        parts = [one_line_text(note, 300).rstrip(".") for note in words if note]
        text = "".join(
            f"{'. ' if part[:1].isupper() else '; '}{part}" for part in parts
        )
        if text:
            yield from paragraph(f"{row.name}: {text[2:]}.", "  ", "  ")
        if row.sizes.aim and row.trial.settings:
            yield f"  {row.name}: {set_options(row.trial)}"


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


def folder_report(files: Sequence[SessionAnswer[Results]]) -> Iterator[str]:
    """Yield a line per file and name, then the means by name."""
    rows = [row for file in files for row in file.result or ()]
    head = (FILES.title, COMPARE.title, "", *result_head(FILES))
    drop = [*_indices(FILES, _NARROW_FOLDER, 3), head.index("")]
    shown = aligned_table(
        map(_line, rows), range(3, len(head)), head=head, indent="", drop=drop
    )
    yield from shown
    if any(row.on_front for row in rows):
        yield _FRONT_NOTE.format(needed="what later turns of its file needed")
    yield from legend(FILES, rows, shown)
    means = [(mean.name, *result_cells(FOLDER, mean)) for mean in means_by_name(rows)]
    head = (FOLDER.title, *result_head(FOLDER))
    yield from titled_section(
        "Means", aligned_table(means, range(1, len(head)), head=head) if means else []
    )


def _line(row: TrialResult) -> tuple[str, ...]:
    note = one_line_text(row.error or row.no_op or row.note, 200)
    return (one_line_text(row.file, 200), _name(row), note, *result_cells(FILES, row))


def write_csv(rows: Iterable[TrialResult]) -> None:
    """Write a line of titles, then a line for each row; an unknown value is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(csv_cells, rows))
    write_bytes(output.getvalue().encode("utf-8", "backslashreplace"))


def file_values(output: CompareOutput) -> dict[str, Json]:
    conversation = output.transcript.conversation
    source = output.source
    comparison = output.comparison
    name = conversation.document.name
    rows = [replace(row, file=name) for row in comparison.rows]
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
        **summary_profile_json(output.summaries, comparison.source.price),
        "before": sizes_json(source)["before"],
        "aim": comparison.aim or None,
        "files": {"compared": 1, "resumed": 0, "unread": []},
        **_rows_json(rows),
        "against_recorded": list(map(_recorded_json, comparison.recorded)),
        "against": _against(output.against),
        "warnings": warning_texts(conversation),
    }


def folder_values(
    folder: str, engine: str, comparison: FolderComparison
) -> dict[str, Json]:
    """Return the keys for a folder; those of a single file are null."""
    files, template = comparison.done, comparison.file
    failed_files = [
        {"file": file.name, "reason": file.problem} for file in files if file.problem
    ]
    compared = len(files) - len(failed_files)
    return {
        "file": None,
        "folder": folder,
        "engine": engine,
        "format": None,
        "conversation": 1,
        "scope": template.scope or None,
        "model": None,
        "limit": {"tokens": None, "source": None},
        "provider": None,
        "method": {"mark": None, "label": None},
        "summaries": ", ".join(template.profile_names),
        "price_as": template.price_as or None,
        "before": {"messages": None, "tokens": None, "message_tokens": None},
        "aim": None,
        "files": {
            "compared": compared,
            "resumed": comparison.resumed,
            "unread": failed_files,
        },
        **_rows_json([row for file in files for row in file.result or ()]),
        "against_recorded": [],
        "against": None,
        "warnings": comparison.problems,
    }


def _rows_json(rows: Sequence[TrialResult]) -> dict[str, Json]:
    return {"rows": map(row_json, rows), "means": map(means_json, means_by_name(rows))}


def _against(losses: PairwiseLosses | None) -> Json:
    """Return the facts that are gone from each of two rows; null where no two were chosen."""
    if losses is None:
        return None
    in_a, in_b = (
        [_lost_json(one) for one in lost]
        for lost in (losses.lost_in_a, losses.lost_in_b)
    )
    return {"a": losses.a, "b": losses.b, "lost_in_a": in_a, "lost_in_b": in_b}


def _lost_json(lost: LostFact) -> Json:
    fact = lost.fact
    said = {
        "kind": fact.kind,
        "text": fact.text,
        "first": fact.first,
        "last": fact.last,
    }
    return {**said, "in_the_other": lost.status}


def _recorded_json(comparison: RecordedComparison) -> Json:
    return {
        "number": comparison.number,
        "preset": comparison.preset,
        "tokens": _both(comparison.tokens),
        "summary_tokens": _both(comparison.summary_tokens),
        "said": _both(comparison.messages_word_for_word),
        "kept": dict(
            zip(
                ("both", "agent_alone", "preset_alone"),
                comparison.messages,
                strict=True,
            )
        ),
        "sentences": comparison.sentences,
    }


def _both(figures: tuple[int | None, int | None]) -> Json:
    agent, preset = figures
    return {"agent": agent, "preset": preset}
