"""``foldline lint``: check whether an API would accept a transcript; exits 1 if not."""

from __future__ import annotations

from collections.abc import Sequence

from core.app.services.transcript import TranscriptFindings, transcript_findings
from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    CommonOptions,
    add_flag,
    add_text,
    parse_options,
    transcript_parser,
)
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_lines
from core.cli.output.json_output import findings_json, write_json
from core.cli.output.tables import aligned_table
from core.cli.several_files import each_file
from core.common import number_format
from core.common.json_value import Json
from core.lint.lint import PROVIDERS, find_provider, lint_verdict
from core.presentation.preview_wording import warning_texts

ABOUT = "Check a transcript against the rules of an API. Exit code 1: it has errors."


def command_parser() -> CommandParser:
    parser = transcript_parser("lint", ABOUT, many_files=True)
    parser.unused = COMPACTION_OPTIONS
    names = ", ".join(provider.name for provider in PROVIDERS)
    add_text(parser, "--provider", "NAME", f"{names}; by default from format and model")
    about = "mend it; what else it takes: foldline lint --fix --help"
    add_flag(parser, "--fix", about)
    return parser


def run(arguments: Sequence[str]) -> int:
    """Return 0 without errors, 1 with errors."""
    options = parse_options(command_parser(), arguments)
    if options.provider:
        find_provider(options.provider)
    return each_file(options, _lint_file)


def _lint_file(options: CommonOptions) -> int:
    transcript = open_conversation(options)
    note_unused_options(options, COMPACTION_OPTIONS, "lint compacts nothing.")
    note_unused_options(
        options, ("--model",), "the rules are those of an API, which --provider names."
    )
    report = transcript_findings(transcript.analysis_input(), options.provider)
    if options.json:
        write_json("lint", lint_json(transcript, report))
    else:
        print_warnings(transcript)
        print_lines(_lint_report(transcript.conversation.document.name, report))
    return int(bool(report.errors))


def lint_json(
    transcript: OpenedConversation, report: TranscriptFindings
) -> dict[str, Json]:
    return {
        **head_json(transcript, transcript.scope),
        "provider": report.provider,
        "messages": report.messages,
        **findings_json(report.findings),
        "notes": warning_texts(transcript.conversation),
    }


def _lint_report(name: str, report: TranscriptFindings) -> list[str]:
    findings = report.findings
    verdict = lint_verdict(report.findings, report.provider)
    head = f"{name} · {number_format.plural(report.messages, 'message')} · {verdict}"
    numbers = [
        number_format.message_number(one.index) if one.index >= 0 else ""
        for one in findings
    ]
    rows = [
        (finding.severity, number, f"{finding.text} [{finding.rule}]")
        for finding, number in zip(findings, numbers, strict=True)
    ]
    return [head, *aligned_table(rows, (1,))]
