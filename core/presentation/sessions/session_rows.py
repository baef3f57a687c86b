"""Sessions as rows of the browser: every text ready to paint, and what rows are sorted by."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from core.common import excerpts, number_format
from core.common.file_names import shown_name, shown_path
from core.common.timestamps import file_time
from core.configuration.declarations import SETTINGS
from core.engine.notices import UNKNOWN_SHARE
from core.formats.discovery.find_sessions import SessionFile, SessionSearch
from core.formats.discovery.first_prompts import SessionHeader
from core.formats.discovery.session_sizes import LARGEST, SessionSizes
from core.presentation.sessions.model import LastMessageEvent, SessionRow
from core.settings.keys import STRATEGY, WARNING
from core.settings.schema import SettingValue
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy

_MONTHS = (
    *("Jan {day}", "Feb {day}", "Mar {day}", "Apr {day}"),
    *("May {day}", "Jun {day}", "Jul {day}", "Aug {day}"),
    *("Sep {day}", "Oct {day}", "Nov {day}", "Dec {day}"),
)
_LAST = 120  # characters of the last message that are shown


def session_row(
    found: SessionFile,
    head: SessionHeader | None,
    sizes: SessionSizes | None,
    now: datetime,
    home: Path,
    is_counted: bool,
) -> SessionRow:
    """The row of a session; ``head`` None while it is not read, ``is_counted`` once counting is over."""
    prompt = _prompt(found, head) if head else ""
    agent = found.agent or (head.agent if head else "")
    changed = file_time(found.changed)
    fraction = sizes.fraction if sizes else None
    unknown = number_format.UNKNOWN if is_counted else ""
    return SessionRow(
        str(found.path),
        prompt,
        head.project if head else "",
        agent,
        day_text(changed, now),
        number_format.size(found.size),
        number_format.count(sizes.messages) if sizes else unknown,
        number_format.tokens(sizes.mark, sizes.tokens) if sizes else unknown,
        number_format.count(sizes.recorded) if sizes else unknown,
        -1.0 if fraction is None else fraction,
        number_format.percent(fraction, 0) if fraction is not None else UNKNOWN_SHARE if is_counted else "",
        _tone(fraction),
        _about(found, home, sizes),
        _stands(sizes),
        (
            prompt.lower(),
            head.project.lower() if head else "",
            agent.lower(),
            found.changed,
            found.size,
            sizes.messages if sizes else -1,
            sizes.tokens if sizes else -1,
            sizes.recorded if sizes else -1,
            -1.0 if fraction is None else fraction,
        ),
        head.problem if head else "",
    )


def _prompt(found: SessionFile, head: SessionHeader) -> str:
    """The first prompt, or why there is none and the file's name."""
    if head.prompt:
        said = head.prompt
        return f"(sub-agent) {said}" if head.is_sub_agent else said
    name = shown_name(found.path)
    if head.problem:
        return f"(not readable) {name}"
    return f"(no prompt) {name}"


def folders_text(search: SessionSearch, unreadable: int) -> str:
    """ "3 folders watched · 1 unreadable"."""
    parts = [f"{number_format.plural(len(search.folders), 'folder')} looked at"]
    if unreadable:
        parts.append(f"{number_format.count(unreadable)} unreadable")
    return " · ".join(parts)


def day_text(moment: datetime, now: datetime) -> str:
    """A time as people say it: today 14:02, yesterday, Nov 19, Nov 19 2024."""
    if moment.date() == now.date():
        return f"today {f'{moment:%H:%M}'}"
    if moment.date() == (now - timedelta(days=1)).date():
        return "yesterday"
    date = _MONTHS[moment.month - 1].format(day=moment.day)
    return date if moment.year == now.year else " ".join(filter(None, (date, str(moment.year))))


def session_end(found: SessionFile, said: str) -> LastMessageEvent:
    """The answer for the last words of a session; a dash where they could not be had."""
    text = f"“{excerpts.ellipsize(said, _LAST)}”" if said else number_format.UNKNOWN
    return LastMessageEvent(str(found.path), f"last message: {text}")


def _default_strategy() -> Strategy:
    return find_strategy(str(_default(STRATEGY)))


def _default(key: str) -> SettingValue | None:
    return next(one.default for one in SETTINGS if one.key == key)


def _tone(fraction: float | None) -> str:
    """Amber from the default warning on, red from the trigger of the default strategy."""
    if fraction is None or fraction < float(_default(WARNING) or 0):
        return ""
    return "error" if fraction >= _default_strategy().trigger.threshold else "warn"


def _stands(sizes: SessionSizes | None) -> str:
    """ "At 74 % of 200,000, 21,797 tokens below the trigger of middle-out."."""
    if sizes is None or not sizes.limit:
        return ""
    strategy = _default_strategy()
    room = round(strategy.trigger.threshold * sizes.limit) - sizes.context
    values = {
        "percent": number_format.percent(sizes.context / sizes.limit, 0),
        "limit": number_format.count(sizes.limit),
        "tokens": number_format.plural(abs(room), "token"),
        "name": strategy.name,
    }
    if room > 0:
        return "At {percent} of {limit}, {tokens} below the trigger of {name}.".format(**values)
    return "At {percent} of {limit}, {tokens} above the trigger of {name}.".format(**values)


def _about(found: SessionFile, home: Path, sizes: SessionSizes | None) -> str:
    where = shown_path(found.path, home)
    if sizes is None and found.size > LARGEST:
        return f"{where} · larger than {number_format.size(LARGEST)}: counted when it is opened"
    return where
