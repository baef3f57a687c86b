"""``foldline lint --fix``: writes a copy of a session that its provider accepts, and lists every
change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.app.services.repair import RepairPlan, plan_repair, repair_target
from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    CommonOptions,
    add_export_options,
    add_flag,
    add_text,
    parse_options,
    transcript_parser,
)
from core.cli.convert import save_output
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_lines
from core.cli.output.json_output import findings_json, write_json
from core.cli.output.tables import aligned_table, titled_section
from core.cli.several_files import each_file
from core.common.atomic_file import output_file_name
from core.common.errors import InputError
from core.common.json_value import Json
from core.export.export import find_exporter
from core.lint.common_rules import ERROR
from core.lint.lint import PROVIDERS, find_provider, lint_verdict
from core.lint.provider_limits import SIZE_RULES
from core.lint.repair_content import change_count
from core.presentation.preview_wording import scope_label
from core.transcript.scopes import ALL, history_of_scope

ABOUT = (
    "Write a copy of a session that its provider accepts, and list the changes. Exit code 1: "
    "errors are left."
)


def command_parser() -> CommandParser:
    parser = transcript_parser("lint --fix", ABOUT, many_files=True)
    parser.unused = COMPACTION_OPTIONS
    add_text(
        parser,
        "--to",
        "FORMAT",
        "the format of the copy; by default that of the source, if it can be written",
    )
    names = ", ".join(provider.name for provider in PROVIDERS)
    add_text(
        parser,
        "--provider",
        "NAME",
        f"the API that refuses it: {names}; by default from format and model",
    )
    about = "the copy; - is standard output. Without it the changes are listed and nothing is written"
    parser.add_argument("-o", "--out", type=output_file_name, metavar="OUT", help=about)
    add_flag(parser, "--dry-run", "list the changes and write nothing")
    about = "the oldest images over a limit of the provider become a line"
    add_text(parser.rare, "--images", "oldest", about)
    add_export_options(parser.rare)
    parser.set_defaults(append_boundary=False, provenance=False)
    return parser


def run(arguments: Sequence[str]) -> int:
    """Return 0 if the copy is in order, 1 if it still has errors."""
    options = parse_options(command_parser(), arguments)
    if options.to and find_exporter(options.to).is_report:
        raise InputError(
            f"{options.to} is a report, and the copy has to be a transcript.",
            "Name a format of transcripts with --to (foldline list formats).",
        )
    if options.images not in ("", "oldest"):
        raise InputError(
            f"--images cannot be {options.images!r}.",
            "Write --images oldest.",
        )
    if options.provider:
        find_provider(options.provider)
    if options.out and len(options.files) > 1:
        raise InputError(
            "-o names one copy, but several files are given.",
            "Run the command once for each file.",
        )
    return each_file(options, _repair_file)


def _repair_file(options: CommonOptions) -> int:
    transcript = open_conversation(options)
    note_unused_options(
        options, (*COMPACTION_OPTIONS, "--model"), "--fix compacts nothing."
    )
    suggested = repair_target(transcript.conversation, options.provider)
    target = find_exporter(options.to or suggested).name
    is_only_read = not options.to and target != transcript.conversation.format
    if is_only_read and options.out and not options.dry_run:
        raise InputError(
            f"Foldline does not write {transcript.reader.label}, so the copy needs another format.",
            f"Add --to {target}, which holds requests of the API that it is mended for.",
        )
    history = history_of_scope(transcript.conversation, transcript.scope)
    plan = plan_repair(
        transcript.conversation,
        history,
        target,
        options.provider,
        leaves_out_images=bool(options.images),
    )
    if options.json:
        write_json("repair", repair_json(transcript, plan))
    elif options.out != "-" or options.dry_run:
        print_warnings(transcript)
        print_lines(_report(transcript.conversation.document.name, plan))
        if is_only_read:
            print_lines(
                (
                    f"Foldline does not write {transcript.reader.label}; "
                    f"--to {target} writes a copy in that format.",
                )
            )
    if options.out and not options.dry_run:
        save_output(transcript, plan.content)
    return int(any(one.severity == ERROR for one in plan.left))


def _head(name: str, plan: RepairPlan) -> str:
    changes = "nothing to mend"
    if plan.changes:
        changes = change_count(plan.changes)
    scope = f" · {scope_label(plan.scope)}" if plan.scope != ALL else ""
    return f"{name}{scope} · {lint_verdict(plan.before, plan.provider)} · {changes}"


def _report(name: str, plan: RepairPlan) -> Iterator[str]:
    yield _head(name, plan)
    lines = [str(line) if (line := plan.line_of(one)) else "" for one in plan.changes]
    rows = [
        (line, f"{one.reason} [{one.rule}]")
        for line, one in zip(lines, plan.changes, strict=True)
    ]
    yield from aligned_table(rows, (0,), head=("line", "") if rows else ())
    if any(one.rule.endswith(SIZE_RULES) for one in plan.left):
        yield "--images oldest replaces images over a limit by a line."
    errors = [one for one in plan.left if one.severity == ERROR]
    yield from titled_section(
        "Left", aligned_table([("", f"{one.text} [{one.rule}]") for one in errors])
    )


def repair_json(transcript: OpenedConversation, plan: RepairPlan) -> dict[str, Json]:
    changes = [
        {
            "rule": one.rule,
            "message": None if one.index < 0 else one.index,
            "line": plan.line_of(one),
            "reason": one.reason,
        }
        for one in plan.changes
    ]
    compaction = plan.repair.compaction
    return {
        **head_json(transcript, plan.scope),
        "to": plan.target,
        "provider": plan.provider,
        "messages": {
            "before": len(compaction.fates),
            "after": len(compaction.messages),
        },
        "before": findings_json(plan.before),
        "changes": changes,
        "left": findings_json(plan.left),
    }
