"""``foldline watch``: how full the sessions that agents write now are, and what a compaction would
do."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from core.analysis.live_sessions import LiveSession, measure_live
from core.app.services.sessions import MOST_LIVE, RECENT_MINUTES, SessionService
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_choices,
    add_flag,
    add_number,
    nonempty,
    parse_options,
    parser_for,
)
from core.cli.output.console import print_lines, print_note, safe_sentence
from core.cli.output.json_output import line_json
from core.cli.output.tables import aligned_table
from core.common import number_format
from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.discovery.find_sessions import SessionFile
from core.integrations.hooks import read_event
from core.presentation.losses_words import LOSSES
from core.presentation.paid_words import paid_in_short
from core.presentation.session_rows import session_notes, status_line, trigger_text

ABOUT = (
    "How full the sessions that agents write now are, and what a compaction now would keep and "
    "lose."
)
_INTERVAL = 2.0  # seconds between two looks at the folders
_HEAD = (
    "agent",
    "project",
    "next request",
    "of",
    "[ctx]",
    "trigger in",
    "compacted now",
    LOSSES,
)
_CLEAR = "\x1b[H\x1b[J"


def command_parser() -> CommandParser:
    parser = parser_for("watch", ABOUT)
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        type=nonempty,
        default=None,
        help="only the sessions below it",
    )
    add_choices(parser)
    add_number(
        parser,
        "--minutes",
        RECENT_MINUTES,
        f"only sessions written to in the last N minutes ({RECENT_MINUTES})",
    )
    add_number(
        parser,
        "--newest",
        MOST_LIVE,
        f"measure at most N sessions ({MOST_LIVE}; 0: all)",
        least=0,
    )
    add_flag(parser, "--once", "print how it is now and end")
    add_flag(
        parser,
        "--status-line",
        "one line for Claude Code, which names its session on standard input",
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    chosen = active_settings(options)
    if options.status_line:
        live = measure_live(
            _session_of_input(sys.stdin.buffer.read()), chosen.layers.resolve()
        )
        print_lines(
            [safe_sentence(live.problem, 80) if live.problem else status_line(live)]
        )
        return
    if options.folder and not Path(options.folder).is_dir():
        raise InputError(
            f"{options.folder} is not a folder.", "Name a folder that holds sessions."
        )
    sessions: dict[Path, LiveSession] = {}
    folders = (options.folder,) if options.folder else ()
    service = SessionService(chosen)
    while True:
        found = service.live(
            folders,
            options.minutes,
            only=bool(folders),
            is_capped=False,
            newest=options.newest or sys.maxsize,
        )
        changed = tuple(found)
        sessions |= {session.path: session for session in changed}
        _show(options, changed, sessions.values())
        if options.once:
            _note_older(options, service.recent - len(changed))
            break
        time.sleep(_INTERVAL)


def _note_older(options: CommonOptions, count: int) -> None:
    if count > 0:
        more = number_format.plural(count, "older session")
        print_note(options, f"{more} not measured (--newest 0 measures all).")


def _session_of_input(data: bytes) -> SessionFile:
    """Return the session that Claude Code names in the input of a status line; InputError if it
    does not."""
    path = read_event("statusLine", data).transcript
    if path is None or not path.is_file():
        raise InputError(
            "The input of the status line names no transcript.",
            "Claude Code starts this command; the help page hooks says how.",
        )
    status = path.stat()
    return SessionFile(path, "", status.st_size, status.st_mtime)


def _show(
    options: CommonOptions,
    changed: Sequence[LiveSession],
    sessions: Iterable[LiveSession],
) -> None:
    """Print the changed sessions; on a terminal the table of all, over the former one."""
    if options.json:
        for session in changed:
            sys.stdout.write(line_json("watch", session_json(session)))
    elif changed or options.once:
        is_redrawn = sys.stdout.isatty() and not options.once
        sys.stdout.write(_CLEAR if is_redrawn else "")
        print_lines(_table(sessions if is_redrawn else changed, options))
    sys.stdout.flush()


def _table(sessions: Iterable[LiveSession], options: CommonOptions) -> Iterator[str]:
    shown = [*sessions]
    rows = [_row(session) for session in shown]
    if not rows:
        yield f"No session was written to in the last {options.minutes:,} minutes."
        return
    yield from aligned_table(rows, (2, 3, 4, 6), head=_HEAD, indent="")
    for session in shown:
        if notes := session_notes(session):
            yield f"{session.project or session.path.name}: {' · '.join(notes)}"


def _row(session: LiveSession) -> tuple[str, ...]:
    start = (session.agent, session.project or session.path.name)
    if session.problem:
        return (
            *start,
            *[number_format.UNKNOWN] * 5,
            safe_sentence(session.problem, 60),
        )
    return (
        *start,
        number_format.tokens(session.mark, session.size),
        number_format.count(session.limit) if session.limit else number_format.UNKNOWN,
        number_format.percent(session.size / session.limit, 0)
        if session.limit
        else number_format.UNKNOWN,
        trigger_text(session),
        number_format.UNKNOWN
        if session.compacted.no_op
        else number_format.tokens(session.mark, session.compacted.size),
        session.compacted.no_op or number_format.count(session.compacted.gone),
    )


def session_json(session: LiveSession) -> dict[str, Json]:
    return {
        "path": session.path,
        "agent": session.agent or None,
        "project": session.project or None,
        "model": session.model or None,
        "tokens": session.size,
        "method": session.mark or None,
        "limit": session.limit,
        "trigger": session.trigger,
        "tokens_per_request": round(session.pace),
        "requests_left": session.requests_left,
        "strategy": session.compacted.strategy or None,
        "tokens_after": session.compacted.size,
        "gone": session.compacted.gone,
        "thrashes": session.thrash is not None,
        "thrash": session.thrash.text if session.thrash else None,
        "images": session.images or None,
        "paid": paid_in_short(session.paid),
        "no_op": session.compacted.no_op or None,
        "problem": session.problem or None,
    }
