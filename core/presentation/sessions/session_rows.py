"""Formats sessions as rows of the browser, with sort keys."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from core.common import excerpts, number_format
from core.common.paths import shown_name, shown_path
from core.common.timestamps import file_time
from core.configuration.declarations import SETTINGS
from core.engine.events import UNKNOWN_SHARE
from core.formats.discovery.find_sessions import SessionFile, SessionSearch
from core.formats.discovery.first_prompts import SessionHeader
from core.formats.discovery.session_sizes import MAX_MEASURED_SIZE, SessionSizes
from core.presentation.sessions.model import SessionRow
from core.settings.keys import STRATEGY, WARNING
from core.settings.schema import SettingValue
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy

_MONTHS = (
    *("Jan {day}", "Feb {day}", "Mar {day}", "Apr {day}"),
    *("May {day}", "Jun {day}", "Jul {day}", "Aug {day}"),
    *("Sep {day}", "Oct {day}", "Nov {day}", "Dec {day}"),
)
_MAX_LAST_MESSAGE = 120  # characters shown of the last message


def session_row(
    session: SessionFile,
    head: SessionHeader | None,
    sizes: SessionSizes | None,
    now: datetime,
    home: Path,
    is_counted: bool,
) -> SessionRow:
    """Return a session's row; ``head`` is None until read, ``is_counted`` once counting is over."""
    prompt = _prompt(session, head) if head else ""
    agent = session.agent or (head.agent if head else "")
    changed = file_time(session.modified_at)
    fraction = sizes.fraction if sizes else None
    unknown = number_format.UNKNOWN if is_counted else ""
    return SessionRow(
        str(session.path),
        prompt,
        head.project if head else "",
        agent,
        day_text(changed, now),
        number_format.size(session.size),
        number_format.count(sizes.messages) if sizes else unknown,
        number_format.tokens(sizes.mark, sizes.tokens) if sizes else unknown,
        number_format.count(sizes.recorded) if sizes else unknown,
        -1.0 if fraction is None else fraction,
        number_format.percent(fraction, 0) if fraction is not None else UNKNOWN_SHARE if is_counted else "",
        _tone(fraction),
        _about(session, home, sizes),
        _trigger_distance(sizes),
        (
            prompt.lower(),
            head.project.lower() if head else "",
            agent.lower(),
            session.modified_at,
            session.size,
            sizes.messages if sizes else -1,
            sizes.tokens if sizes else -1,
            sizes.recorded if sizes else -1,
            -1.0 if fraction is None else fraction,
        ),
        head.problem if head else "",
    )


def _prompt(session: SessionFile, head: SessionHeader) -> str:
    """Return the first prompt, else the file's name and why there is none."""
    if head.prompt:
        prompt = head.prompt
        return f"(sub-agent) {prompt}" if head.is_sub_agent else prompt
    name = shown_name(session.path)
    if head.problem:
        return f"(not readable) {name}"
    return f"(no prompt) {name}"


def folders_text(search: SessionSearch, unreadable: int) -> str:
    """Return "3 folders looked at · 1 unreadable"."""
    parts = [f"{number_format.plural(len(search.folders), 'folder')} looked at"]
    if unreadable:
        parts.append(f"{number_format.count(unreadable)} unreadable")
    return " · ".join(parts)


def day_text(moment: datetime, now: datetime) -> str:
    """Return a short time: today 14:02, yesterday, Nov 19, Nov 19 2024."""
    if moment.date() == now.date():
        return f"today {f'{moment:%H:%M}'}"
    if moment.date() == (now - timedelta(days=1)).date():
        return "yesterday"
    date = _MONTHS[moment.month - 1].format(day=moment.day)
    return date if moment.year == now.year else " ".join(filter(None, (date, str(moment.year))))


def last_message_text(message: str) -> str:
    """Return the line of the last message; a dash if there is none."""
    text = f"“{excerpts.ellipsize(message, _MAX_LAST_MESSAGE)}”" if message else number_format.UNKNOWN
    return f"last message: {text}"


def _default_strategy() -> Strategy:
    return find_strategy(str(_default_value(STRATEGY)))


def _default_value(key: str) -> SettingValue | None:
    return next(setting.default for setting in SETTINGS if setting.key == key)


def _tone(fraction: float | None) -> str:
    """Return amber from the default warning on, red from the default strategy's trigger."""
    if fraction is None or fraction < float(_default_value(WARNING) or 0):
        return ""
    return "error" if fraction >= _default_strategy().trigger.threshold else "warn"


def _trigger_distance(sizes: SessionSizes | None) -> str:
    """Return "At 74 % of 200,000, 21,797 tokens below the trigger of middle-out."."""
    if sizes is None or not sizes.limit:
        return ""
    strategy = _default_strategy()
    tokens_below = round(strategy.trigger.threshold * sizes.limit) - sizes.context
    values = {
        "percent": number_format.percent(sizes.context / sizes.limit, 0),
        "limit": number_format.count(sizes.limit),
        "tokens": number_format.plural(abs(tokens_below), "token"),
        "name": strategy.name,
    }
    if tokens_below > 0:
        return "At {percent} of {limit}, {tokens} below the trigger of {name}.".format(**values)
    return "At {percent} of {limit}, {tokens} above the trigger of {name}.".format(**values)


def _about(session: SessionFile, home: Path, sizes: SessionSizes | None) -> str:
    location = shown_path(session.path, home)
    if sizes is None and session.size > MAX_MEASURED_SIZE:
        return f"{location} · larger than {number_format.size(MAX_MEASURED_SIZE)}: counted when it is opened"
    return location
