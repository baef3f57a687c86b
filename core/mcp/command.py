"""``foldline mcp``: Foldline's tools for agents, over the Model Context Protocol on standard input."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from core.cli.arguments import parse_options, parser_for
from core.cli.output.console import can_ask, print_note
from core.common.errors import InputError

ABOUT = "Serve compact, inspect and lint to agents over MCP on standard input and output (extra mcp)."


def run(arguments: Sequence[str]) -> int:
    """Return 0 once the client has gone. Raises InputError where the extra is not installed."""
    options = parse_options(parser_for("mcp", ABOUT, json=False), arguments)
    try:
        import_module("mcp")
    except ImportError:
        raise InputError(
            "foldline mcp needs the extra mcp.", "Install it: pip install 'foldline[mcp]'."
        ) from None
    from core.mcp.server import run_server  # late: only this command needs it

    if can_ask():
        print_note(
            options, "An MCP client must start this command; it uses standard input. Press Ctrl C to end it."
        )
    run_server()
    return 0
