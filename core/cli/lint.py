"""``foldline lint``: check whether an API would accept a transcript; exits 1 if not."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import add_text, parse_options, transcript_parser
from core.cli.opened_transcript import (
    OpenedConversation,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.console import aligned_table, print_lines
from core.common import number_format
from core.common.json_value import Json
from core.lint.common_rules import LintFinding
from core.lint.lint import PROVIDERS, default_provider, find_provider, lint_messages, lint_verdict
from core.presentation.preview_wording import warning_texts
from core.transcript.scopes import history_of_scope

ABOUT = "Check a transcript against the rules of an API. Exit code 1: it has errors."


def run(arguments: Sequence[str]) -> int:
    """Return 0 without errors, 1 with errors."""
    parser = transcript_parser("lint", ABOUT)
    names = ", ".join(provider.name for provider in PROVIDERS)
    add_text(parser, "--provider", "NAME", f"{names}; by default from format and model")
    options = parse_options(parser, arguments)
    if options.provider:
        find_provider(options.provider)
    opened = open_conversation(options)
    messages = history_of_scope(opened.conversation, options.scope).messages
    provider = options.provider or default_provider(opened.conversation.format, opened.conversation.model)
    note_unused_options(options, ("-s", "--set", "--profile", "--summary-file"), "lint compacts nothing.")
    note_unused_options(options, ("--model",), "the rules are those of an API, which --provider names.")
    all_findings = lint_messages(messages, provider)
    if options.json:
        json_output.write_json("lint", lint_json(opened, provider, len(messages), all_findings))
    else:
        print_warnings(opened)
        print_lines(_report(opened.conversation.document.name, len(messages), all_findings, provider))
    return 1 if any(finding.severity == "error" for finding in all_findings) else 0


def lint_json(
    opened: OpenedConversation, provider: str, count: int, findings: Sequence[LintFinding]
) -> dict[str, Json]:
    """Return the keys of ``lint --json`` for the ``count`` messages of the scope."""
    about = json_output.head_json(opened, opened.options.scope) | {"provider": provider, "messages": count}
    return about | json_output.findings_json(findings) | {"notes": warning_texts(opened.conversation)}


def _report(name: str, count: int, findings: Sequence[LintFinding], provider: str) -> list[str]:
    head = f"{name} · {number_format.plural(count, 'message')} · {lint_verdict(findings, provider)}"
    places = [number_format.message_number(one.index) if one.index >= 0 else "" for one in findings]
    rows = [
        (finding.severity, place, f"{finding.text} [{finding.rule}]")
        for finding, place in zip(findings, places, strict=True)
    ]
    return [head, *aligned_table(rows, (1,))]
