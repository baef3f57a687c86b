"""What the commands with several outputs have made, as their texts and their JSON are handed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.analysis.compare.folder_job import FileLines
    from core.analysis.compare.model import Against, AgainstRecorded, CompareRow
    from core.analysis.cost.summary_price import PriceAs
    from core.analysis.probes.model import Given
    from core.analysis.probes.runner import Plan
    from core.analysis.replay.model import Replay
    from core.analysis.replay.run import Ground
    from core.analysis.sweep.model import Sweep
    from core.cli.arguments import Common
    from core.cli.opened_transcript import Opened
    from core.preview.options import Preview
    from core.settings.profiles import Profile


@dataclass(frozen=True, slots=True)
class Compared:
    """All that is told of one file. ``summaries`` names the profile that wrote them, ``price`` the model
    whose prices count for those that none wrote."""

    opened: Opened
    source: Preview
    rows: tuple[CompareRow, ...]
    provider: str
    summaries: str
    price: PriceAs
    recorded: tuple[AgainstRecorded, ...]
    against: Against | None


@dataclass(frozen=True, slots=True)
class ComparedFolder:
    """All that is told of a folder: its files in order, how many were known from an earlier run
    (``resumed``), and what of it could not be read (``problems``)."""

    options: Common
    engine: str
    summaries: str
    files: tuple[FileLines, ...]
    resumed: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """All that is told of a replay; ``summaries`` names the profile that wrote them, ``price`` the model
    whose prices count for those that none wrote."""

    opened: Opened
    ground: Ground
    replay: Replay
    summaries: str
    price: PriceAs


@dataclass(frozen=True, slots=True)
class Swept:
    """All that is told of a sweep; ``summaries`` names the profile that wrote them, ``price`` the model
    whose prices count for those that none wrote."""

    opened: Opened
    sweep: Sweep
    summaries: str
    price: PriceAs


@dataclass(frozen=True, slots=True)
class Probed:
    """All that is told of a run. ``given`` is empty where nothing was called; ``price`` is that of all."""

    opened: Opened
    made: Preview
    plan: Plan
    answerer: Profile
    judge: Profile
    price: str
    given: tuple[Given, ...] = ()
