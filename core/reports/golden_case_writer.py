"""Writes a golden case of the open conversation, for ``python -m tests.golden``."""

from __future__ import annotations

import copy
from functools import partial
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.redaction.redact import count_secrets_in_json, redact_json
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.plain_text import fields_without_notes
from core.formats.writing.raw_json import dump_json
from core.formats.writing.redacted_output import find_with_named_secrets, named_secrets_in
from core.preview.options import Preview
from core.reports.golden_case import GoldenCaseInput, golden_file
from core.reports.report_input import preview_of_report
from core.strategies.base import density_config
from core.transcript.llxprt_content import block_entry, message_entry
from core.transcript.model import Message, Opaque


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return history, settings and outcome. Redacts before the strategy runs, so that the outcome fits.
    Raises InputError while a summary is not written."""
    preview = preview_of_report(export_input)
    if preview.unwritten and preview.compaction.summary is not None:
        raise InputError(
            "The summary of this golden case is not written yet.",
            "Compact first, or use the profile offline.",
        )
    summary = preview.compaction.summary
    name, root = Path(preview.conversation.document.name).stem, preview.conversation.cwd or "/"
    history = [_golden_entry(message) for message in preview.messages]
    parts: list[Json] = [history, summary.text if summary else "", name, root]
    if options.redact:
        parts = copy.deepcopy(parts)  # the entries share values with the messages
        secrets = redact_json(
            parts, partial(find_with_named_secrets, known_secrets=named_secrets_in(preview.messages))
        )
    else:
        secrets = count_secrets_in_json(parts)
    return ExporterOutput(
        dump_json(golden_file(_case_input(preview, *parts)), pretty=True) + b"\n",
        OutputShape.JSON,
        secrets=secrets,
    )


def _case_input(preview: Preview, history: list[Json], summary: str, name: str, root: str) -> GoldenCaseInput:
    values = preview.values
    config = density_config(values, root, preview.mode)
    return GoldenCaseInput(
        name, history, preview.strategy, values, preview.mode, config, preview.window.limit, summary
    )


def _golden_entry(message: Message) -> dict[str, Json]:
    """Return a message as a golden entry, without the readers' notes."""
    blocks = [
        block.raw if isinstance(block, Opaque) else fields_without_notes(block_entry(block))
        for block in message.blocks
    ]
    return {**fields_without_notes(message_entry(message)), "blocks": blocks}


EXPORTER = Exporter(
    "golden",
    (),
    "Golden case",
    ".json",
    "History, settings and outcome of a strategy, for a test that runs it again.",
    write,
    group=ExportGroup.REPORT,
    file_label="golden",
    redacts_by_default=True,
)
