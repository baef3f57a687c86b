"""The names of all commands (product.md section 5), readable without loading any of them."""

from __future__ import annotations

import os

_NAMES = """
inspect facts compact compare replay sweep probe check lint convert sessions strategies formats settings
profiles models prompts watch hook mcp shot
"""
COMMANDS = tuple(_NAMES.split())
"""A first argument that is none of these is a file to open."""


def is_command(arguments: list[str]) -> bool:
    """Return whether arguments are a command; False for the window, with or without a file."""
    if not arguments:
        return False
    if arguments[0] in COMMANDS or any(word in ("--version", "--help", "-h") for word in arguments):
        return True
    return bool(mistyped_command(arguments[0]))


def mistyped_command(word: str) -> str:
    """Return a question with the nearest command for a word that is no file, "" where none is near."""
    if not word.isalpha() or os.path.exists(word):
        return ""
    from core.common.errors import did_you_mean  # late: the window does not need it

    return did_you_mean(word, (*COMMANDS, "--help", "--version"))
