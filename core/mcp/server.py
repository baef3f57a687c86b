"""The command ``foldline mcp``: the server on standard input and output that offers the tools."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from core.cli.arguments import CommandParser, add_text, parse_options, parser_for
from core.cli.output.console import can_ask, print_note
from core.common.confined_path import confined_to
from core.common.errors import missing_package
from core.mcp.folders import existing_folder, output_folder
from core.mcp.manual_compaction import ManualCompactions

ABOUT = (
    "Serve compact, inspect, lint and expand to agents over MCP on standard input and output "
    "(extra mcp)."
)


def command_parser() -> CommandParser:
    parser = parser_for("mcp", ABOUT, json=False)
    about = "the only folder to write results to; without it nothing is written"
    add_text(parser, "--write-to", "FOLDER", about)
    about = (
        "the only folder to read transcripts from; without it a client may name any file that "
        "you can read"
    )
    add_text(parser, "--read-from", "FOLDER", about)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Exit code 0 once the client has gone. Raises InputError where the extra is not installed."""
    options = parse_options(command_parser(), arguments)
    sessions = ManualCompactions(
        folder=output_folder(Path(options.write_to)) if options.write_to else None,
        read_from=(
            confined_to(existing_folder(Path(options.read_from)))
            if options.read_from
            else None
        ),
    )
    try:
        import_module("mcp")
    except ImportError:
        raise missing_package("foldline mcp", "mcp", "mcp") from None
    from core.mcp.transport import run_server

    if can_ask():
        print_note(
            options,
            (
                "An MCP client must start this command; it uses standard input. Press Ctrl C to "
                "end it."
            ),
        )
    run_server(sessions)
