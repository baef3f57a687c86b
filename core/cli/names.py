"""The names of all commands (product.md section 5), readable without loading any of them."""

from __future__ import annotations

COMMANDS = (
    "inspect",
    "compact",
    "compare",
    "replay",
    "sweep",
    "probe",
    "lint",
    "convert",
    "sessions",
    "strategies",
    "formats",
    "settings",
    "profiles",
    "prompts",
    "mcp",
    "desktop",
    "shot",
)
"""Words that are commands wherever they stand first; anything else there is a file to open."""

LATER: tuple[str, ...] = ()
"""Commands whose names are taken but which do not work yet; each exits 2 with one sentence."""


def is_command(arguments: list[str]) -> bool:
    """True where the command line is meant; False for the window, with or without a file."""
    if not arguments:
        return False
    return arguments[0] in COMMANDS or any(word in ("--version", "--help", "-h") for word in arguments)
