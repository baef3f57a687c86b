"""The results of ``foldline compare`` as JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from core.analysis.compare.compare import CSV_COLUMNS, csv_cells, flat_row, means_by_name, to_json
from core.analysis.compare.rows import provider_of
from core.analysis.model import FolderCompareRow, PairwiseLosses, RecordedComparison
from core.cli.output.console import write_bytes
from core.cli.output.json_output import fields, run_json, sizes_json, writer_json
from core.common.json_value import Json
from core.presentation.preview_wording import warning_texts

if TYPE_CHECKING:
    from core.analysis.compare.folder_job import FolderComparison
    from core.cli.output.compare_text import CompareOutput


def write_csv(lines: Iterable[FolderCompareRow]) -> None:
    """Write a line of titles, then a line for each row; an unknown value is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(csv_cells, lines))
    write_bytes(output.getvalue().encode("utf-8", "backslashreplace"))


def file_values(output: CompareOutput) -> dict[str, Json]:
    conversation, source, comparison = output.opened.conversation, output.source, output.comparison
    name = conversation.document.name
    rows = [flat_row(name, row, source.count_method.mark) for row in comparison.rows]
    run = run_json(source)
    return {
        "file": name,
        "folder": None,
        "engine": None,
        **fields(output, "format=opened.reader.name conversation=opened.conversation.number"),
        "scope": source.history.scope,
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
        "scope": job.scope,
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
    return {"rows": map(_row_json, rows), "means": means_by_name(rows)}


def _row_json(line: FolderCompareRow) -> dict[str, Json]:
    value = to_json(line)
    facts, recall = value.pop("facts"), value.pop("recall")
    kinds = {kind: {"facts": count, "recall": recall[kind]} for kind, count in facts.items()}
    return {**value, "by_category": kinds}


def _against(losses: PairwiseLosses | None) -> Json:
    """Return the facts that each of two rows lost; null where no two were chosen."""
    return losses and fields(losses, "a b") | {
        side: [
            fields(lost.fact, "category=kind text messages") | {"in_the_other": lost.status}
            for lost in getattr(losses, side)
        ]
        for side in ("lost_in_a", "lost_in_b")
    }


def _recorded_json(comparison: RecordedComparison) -> Json:
    names = ("tokens", "summary_tokens", "fidelity")
    return {
        **fields(comparison, "number preset"),
        **{name: dict(zip(("agent", "preset"), getattr(comparison, name), strict=True)) for name in names},
        "kept": dict(zip(("both", "agent_alone", "preset_alone"), comparison.messages, strict=True)),
        "sentences": comparison.sentences,
    }
