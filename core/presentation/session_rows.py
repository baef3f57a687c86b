"""Formats sessions as rows of the browser, with sort keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from core.analysis.live_sessions import LiveSession
from core.common import excerpts, number_format
from core.common.number_format import day_text, file_time
from core.common.paths import display_name, display_path
from core.formats.discovery.find_sessions import (
    SESSION_FOLDERS,
    SessionFile,
    SessionSearch,
)
from core.formats.discovery.session_contents import (
    MAX_MEASURED_SIZE,
    SessionHeader,
    SessionListing,
    SessionSizes,
    read_session_header,
)
from core.presentation.dialog_model import (
    SessionContext,
    SessionRow,
    SessionRows,
    SessionTrigger,
)
from core.presentation.losses_words import losses_count
from core.presentation.paid_words import paid_notes
from core.settings.schema import STRATEGY, WARNING
from core.settings_store.layers import SETTINGS
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy

_MAX_LAST_MESSAGE = 120  # characters shown of the last message


def sessions_page(listing: SessionListing) -> SessionRows:
    """Return the rows of the sessions that were found or read last."""
    unreadable = [header.problem for header in listing.headers if header.problem]
    return SessionRows(
        start=listing.start,
        total=listing.total,
        rows=tuple(
            _listed_row(listing, index) for index in range(listing.start, listing.end)
        ),
        foot=folders_text(listing.search, len(unreadable), Path.home()),
        searched=searched_text(listing.extra_folders, Path.home()),
        problems=(*listing.search.problems, *unreadable),
        is_over=len(listing.sizes) == len(listing.sessions),
        is_new=not listing.headers,
    )


def _listed_row(listing: SessionListing, index: int) -> SessionRow:
    if index < len(listing.headers):
        header = listing.headers[index]
    else:
        header = None
    is_counted = index < len(listing.sizes)
    sizes = listing.sizes_of(index)
    return session_row(
        listing.sessions[index], header, sizes, datetime.now(), Path.home(), is_counted
    )


def live_row(live: LiveSession) -> SessionRow:
    row = session_row(
        live.file,
        read_session_header(live.file),
        live.sizes,
        datetime.now(),
        Path.home(),
        True,
    )
    if live.problem:
        distance = ""
    else:
        distance = trigger_text(live)
    is_at_trigger = live.requests_left == 0
    return replace(
        row,
        trigger=replace(
            row.trigger,
            distance=status_line(live),
            requests=distance,
            is_reached=is_at_trigger,
        ),
    )


def trigger_text(session: LiveSession) -> str:
    """Return "reached", "12 requests" or, where it is unknown, a dash."""
    left = session.requests_left
    if left is None:
        return number_format.UNKNOWN
    if left == 0:
        return "reached"
    return number_format.plural(left, "request")


def session_notes(session: LiveSession) -> list[str]:
    """Return what is said of a session beside its figures: thrash, images, what was paid."""
    return [*session.notes, *_paid_notes(session)]


def _paid_notes(session: LiveSession) -> list[str]:
    """Return what was paid, and the compactions that are loops or in vain; those that thrash are
    named by the session's own notes."""
    paid, thrash = session.paid, session.thrash
    if thrash is not None:
        others = [one for one in paid.compactions if one.number < thrash.first]
        paid = replace(paid, compactions=tuple(others))
    return paid_notes(paid)


def status_line(session: LiveSession) -> str:
    """Return a session in one line; without a limit the tokens of its next request."""
    if session.problem:
        return session.problem
    size = number_format.tokens(session.mark, session.size)
    distance = trigger_text(session)
    parts = [
        f"{number_format.context_share(session.size, session.limit)} {size}",
        *session.notes,
    ]
    if distance != number_format.UNKNOWN:
        parts.append(
            f"trigger {distance}" if distance == "reached" else f"trigger in {distance}"
        )
    parts += _paid_notes(session)
    if not session.compacted.no_op:
        after = number_format.tokens(session.mark, session.compacted.size)
        parts.append(
            f"{session.compacted.strategy} now: {after}, {losses_count(session.compacted.gone)}"
        )
    return " · ".join(parts)


def session_row(
    session: SessionFile,
    head: SessionHeader | None,
    sizes: SessionSizes | None,
    now: datetime,
    home: Path,
    is_counted: bool,
) -> SessionRow:
    """Return a session's row; ``head`` is None until read, ``is_counted`` once counting is over."""
    prompt, project, agent, problem = "", "", session.agent, ""
    if head is not None:
        prompt = _prompt(session, head)
        project = head.project
        problem = head.problem
        agent = session.agent or head.agent

    messages = tokens = recorded = number_format.UNKNOWN if is_counted else ""
    counted: tuple[int, int, int] = (-1, -1, -1)
    if sizes is not None:
        messages = number_format.count(sizes.messages)
        tokens = number_format.tokens(sizes.mark, sizes.tokens)
        recorded = number_format.count(sizes.recorded)
        counted = (sizes.messages, sizes.tokens, sizes.recorded)

    context = _context(sizes, is_counted=is_counted)
    written = (prompt.lower(), project.lower(), agent.lower())
    return SessionRow(
        path=str(session.path),
        prompt=prompt,
        project=project,
        agent=agent,
        changed=day_text(file_time(session.modified_at), now),
        size=number_format.size(session.size),
        messages=messages,
        tokens=tokens,
        recorded=recorded,
        about=_about(session, home, sizes),
        sort_keys=(
            *written,
            session.modified_at,
            session.size,
            *counted,
            context.share,
        ),
        problem=problem,
        context=context,
        trigger=SessionTrigger(distance=_trigger_distance(sizes)),
    )


def _context(sizes: SessionSizes | None, *, is_counted: bool) -> SessionContext:
    """Return the share of its context that a session fills; -1 sorts an unknown one first."""
    fraction = sizes.fraction if sizes is not None else None
    if fraction is None:
        unknown = number_format.UNKNOWN if is_counted else ""
        return SessionContext(share=-1.0, text=unknown, tone=_tone(None))
    return SessionContext(
        share=fraction, text=number_format.percent(fraction, 0), tone=_tone(fraction)
    )


def _prompt(session: SessionFile, head: SessionHeader) -> str:
    """Return the first prompt, else the file's name and why there is none."""
    if head.prompt:
        if head.is_sub_agent:
            return f"(sub-agent) {head.prompt}"
        return head.prompt
    return f"({'not readable' if head.problem else 'no prompt'}) {display_name(session.path)}"


def folders_text(search: SessionSearch, unreadable: int, home: Path) -> str:
    """Return "Looked in ~/.claude, ~/.codex · 1 unreadable"."""
    names = dict.fromkeys(_short_folder(folder, home) for folder in search.folders)
    if names:
        parts = [f"Looked in {', '.join(names)}"]
    else:
        parts = []
    if unreadable:
        parts.append(f"{number_format.count(unreadable)} unreadable")
    return " · ".join(parts)


def searched_text(extra: Sequence[Path], home: Path) -> str:
    """Return where sessions were looked for, for a search that found none."""
    folders = [folder.root(home) for folder in SESSION_FOLDERS if folder.patterns]
    names = dict.fromkeys(_short_folder(folder, home) for folder in (*folders, *extra))
    if extra:
        files = " In folders of your own it looked at files *.json and *.jsonl."
    else:
        files = ""
    return f"Foldline looked in {', '.join(names)}.{files}"


def _short_folder(folder: Path, home: Path) -> str:
    """Return the agent's folder for one below a hidden folder of the home folder, else the
    folder."""
    if folder.is_relative_to(home):
        parts = folder.relative_to(home).parts
    else:
        parts = ()
    if parts and parts[0].startswith("."):
        return f"~/{parts[0]}"
    return display_path(folder, home)


def last_message_text(message: str) -> str:
    """Return the line of the last message; a dash if there is none."""
    if message:
        text = f"“{excerpts.ellipsize(message, _MAX_LAST_MESSAGE)}”"
    else:
        text = number_format.UNKNOWN
    return f"last message: {text}"


def _tone(fraction: float | None) -> str:
    """Return amber from the default warning on, red from the default strategy's trigger."""
    warning = next(setting.default for setting in SETTINGS if setting.key == WARNING)
    if fraction is None or fraction < float(warning or 0):
        return ""
    if fraction >= _default_strategy().trigger.threshold:
        return "error"
    return "warn"


def _default_strategy() -> Strategy:
    return find_strategy(
        str(next(setting.default for setting in SETTINGS if setting.key == STRATEGY))
    )


def _trigger_distance(sizes: SessionSizes | None) -> str:
    """Return "At 74 % of 200,000, 21,797 tokens below the trigger of middle-out."."""
    if sizes is None or not sizes.limit:
        return ""
    strategy = _default_strategy()
    below = round(strategy.trigger.threshold * sizes.limit) - sizes.context
    share = number_format.percent(sizes.context / sizes.limit, 0)
    distance = f"{number_format.plural(abs(below), 'token')} {'below' if below > 0 else 'above'}"
    return (
        f"At {share} of {number_format.count(sizes.limit)}, {distance} the trigger of "
        f"{strategy.name}."
    )


def _about(session: SessionFile, home: Path, sizes: SessionSizes | None) -> str:
    location = display_path(session.path, home)
    if sizes is None and session.size > MAX_MEASURED_SIZE:
        return (
            f"{location} · larger than {number_format.size(MAX_MEASURED_SIZE)}: counted when it "
            f"is opened"
        )
    return location
