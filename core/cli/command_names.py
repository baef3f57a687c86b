"""The names of all commands (product.md section 5), readable without loading any of them."""

from __future__ import annotations

import os

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
    "models",
    "prompts",
    "mcp",
    "shot",
)
"""Words that are commands wherever they stand first; anything else there is a file to open."""


def is_command(arguments: list[str]) -> bool:
    """True where the command line is meant; False for the window, with or without a file."""
    if not arguments:
        return False
    if arguments[0] in COMMANDS or any(word in ("--version", "--help", "-h") for word in arguments):
        return True
    return bool(mistyped_command(arguments[0]))


def mistyped_command(word: str) -> str:
    """The question which command was meant by a word that is no file but nearly one, "" for any other."""
    if not word.isalpha() or os.path.exists(word):
        return ""
    from core.common.errors import did_you_mean  # late: no window waits for it

    return did_you_mean(word, (*COMMANDS, "--help", "--version"))
