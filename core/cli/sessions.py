"""``foldline sessions``: the sessions that agents left on this machine, newest first."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from core.app.services.sessions import SessionService
from core.cli.arguments import (
    CommandParser,
    add_flag,
    add_number,
    parse_options,
    parser_for,
)
from core.cli.output.console import (
    CommandWorkspace,
    ConsoleProgress,
    print_lines,
    print_note,
)
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table
from core.cli.session_options import add_session_filter, session_filter
from core.common import excerpts, number_format
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import day_text, file_time
from core.common.paths import display_path
from core.formats.discovery.find_sessions import SessionFile
from core.formats.discovery.session_contents import (
    SessionHeader,
    SessionListing,
    SessionSizes,
)

ABOUT = "The sessions that agents left on this machine, newest first. Nothing else is opened."
_DEFAULT_COUNT = 20


def command_parser() -> CommandParser:
    parser = parser_for("sessions", ABOUT)
    parser.add_argument("folder", metavar="FOLDER", nargs="*", help="also look here")
    add_number(
        parser,
        "--newest",
        _DEFAULT_COUNT,
        f"how many (default {_DEFAULT_COUNT}; 0: all)",
        least=0,
    )
    add_session_filter(parser.add_argument_group("which sessions"))
    add_flag(parser, "--no-counts", "read only the beginning of each file")
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    for folder in options.folder:
        if not os.path.isdir(folder):
            raise InputError(
                f"{folder} is not a folder.", "Name a folder that holds transcripts."
            )
    service = SessionService(CommandWorkspace())
    newest = options.newest or sys.maxsize
    folders = tuple(options.folder)
    with ConsoleProgress(options) as progress:
        counts = not options.no_counts
        for listing in service.sessions(
            folders, session_filter(options), newest=newest, counts=counts
        ):
            counted = len(listing.sizes)
            listed = len(listing.sessions)
            text = f"{counted:,} of {number_format.plural(listed, 'session')} counted"
            progress(counted / max(1, listed), text)
    for problem in listing.search.problems:
        print_note(options, f"warning: {problem}")
    sizes = map(listing.sizes_of, range(listed))
    rows = list(zip(listing.sessions, listing.headers, sizes, strict=True))
    if options.json:
        head = {"folders": listing.search.folders, "found": listing.total}
        write_json("sessions", head | {"sessions": (_values(*row) for row in rows)})
    else:
        print_lines(_text(rows, listing))


def _text(
    rows: Sequence[tuple[SessionFile, SessionHeader, SessionSizes | None]],
    listing: SessionListing,
) -> Iterator[str]:
    total = listing.total
    folders = len(listing.search.folders)
    known = len(listing.search.sessions)
    if known and not rows:
        yield f"None of {number_format.plural(known, 'session')} fits these options."
        return
    if not rows:
        where = f"No sessions in {number_format.plural(folders, 'folder')}."
        yield where if folders else "No sessions were found."
        yield "Name a folder to look in: foldline sessions FOLDER."
        return
    head = (
        "changed",
        "agent",
        "project",
        "size",
        "messages",
        "tokens",
        "recorded",
        "[ctx]",
        "first prompt",
    )
    now = datetime.now()
    home = Path.home()
    yield from aligned_table(
        [_row(*row, now) for row in rows],
        (3, 4, 5, 6, 7),
        head=head,
        indent="",
        drop=(6, 3, 4),
    )
    if len(rows) < total:
        shown_text = f", the newest {len(rows):,} shown (--newest 0 shows all)"
    else:
        shown_text = ""
    sessions = number_format.plural(total, "session")
    places = number_format.plural(folders, "folder")
    yield from ("", f"{sessions} in {places}{shown_text}.")
    yield f"The newest: {display_path(rows[0][0].path, home)}"


def _row(
    session: SessionFile, head: SessionHeader, sizes: SessionSizes | None, now: datetime
) -> tuple[str, ...]:
    prompt = (
        head.problem or f"{'(sub-agent) ' if head.is_sub_agent else ''}{head.prompt}"
    )
    figures = [number_format.UNKNOWN] * 4
    if sizes is not None:
        share = number_format.percent(sizes.fraction, 0)
        tokens = number_format.tokens(sizes.mark, sizes.tokens)
        messages = number_format.count(sizes.messages)
        recorded = number_format.count(sizes.recorded)
        figures = [messages, tokens, recorded, share]
    return (
        day_text(file_time(session.modified_at), now),
        session.agent or head.agent,
        head.project,
        number_format.size(session.size),
        *figures,
        excerpts.ellipsize(prompt, 60),
    )


def _values(
    session: SessionFile, head: SessionHeader, sizes: SessionSizes | None
) -> Json:
    return {
        "path": session.path,
        "agent": session.agent or head.agent or None,
        "format": head.format or None,
        "changed": file_time(session.modified_at, UTC).isoformat(),
        "bytes": session.size,
        "project": head.project or None,
        "first_prompt": head.prompt or None,
        "sub_agent": head.is_sub_agent,
        "problem": head.problem or None,
        **_size_values(sizes),
    }


def _size_values(sizes: SessionSizes | None) -> dict[str, Json]:
    """Return the sizes; each is null where they are not known."""
    names = ("messages", "tokens", "context", "limit", "method", "recorded_compactions")
    if not sizes:
        return dict.fromkeys(names)
    known = (sizes.messages, sizes.tokens, sizes.context)
    return dict(
        zip(names, (*known, sizes.limit, sizes.mark, sizes.recorded), strict=True)
    )
