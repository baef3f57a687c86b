"""Options that choose sessions of this machine: ``--agent``, ``--since``, ``--project``,
``--search``."""

from __future__ import annotations

import argparse
from datetime import datetime

from core.cli.arguments import CommonOptions, add_text
from core.common.errors import InputError
from core.formats.discovery.session_contents import SessionFilter, since_time


def add_session_filter(group: argparse._ActionsContainer) -> None:
    add_text(group, "--agent", "NAME", "only those of this agent")
    add_text(
        group,
        "--since",
        "2d|DATE",
        "only those written to since then: 30m, 12h, 2d, 3w or 2026-11-28",
    )
    add_text(
        group,
        "--project",
        "PATH",
        "only those of this folder and below it, or of a project as listed",
    )
    add_text(group, "--search", "TEXT", "only those that hold this text, in any case")


def session_filter(options: CommonOptions) -> SessionFilter:
    """Return what the options of ``add_session_filter`` choose; InputError for an unreadable
    time."""
    try:
        if options.since:
            since = since_time(options.since, datetime.now())
        else:
            since = 0.0
    except InputError as error:
        raise InputError(f"--since: {error}") from None
    return SessionFilter(options.agent, since, options.project, options.search)
