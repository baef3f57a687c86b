"""Results of the commands that print text, JSON or CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.analysis.compare.folder_job import FileComparisonResult
    from core.analysis.compare.model import CompareRow, PairwiseLosses, RecordedComparison
    from core.analysis.cost.summary_price import PricingModel
    from core.analysis.probes.model import ProbeAnswer
    from core.analysis.probes.runner import ProbeRound
    from core.analysis.replay.model import ReplayResult
    from core.analysis.replay.run import ReplayContext
    from core.analysis.sweep.model import SweepResult
    from core.cli.arguments import CommonOptions
    from core.cli.opened_conversation import OpenedConversation
    from core.preview.options import Preview
    from core.settings.profile import Profile


@dataclass(frozen=True, slots=True)
class CompareOutput:
    """The comparison of one file. ``summaries`` names the profile that wrote them, ``pricing`` the model by
    which summaries that no model wrote are priced."""

    opened: OpenedConversation
    source: Preview
    rows: tuple[CompareRow, ...]
    provider: str
    summaries: str
    pricing: PricingModel
    recorded: tuple[RecordedComparison, ...]
    against: PairwiseLosses | None


@dataclass(frozen=True, slots=True)
class FolderCompareOutput:
    """The comparison of a folder: its files in order, how many were known from an earlier run
    (``resumed``), and what could not be read (``problems``)."""

    options: CommonOptions
    engine: str
    summaries: str
    files: tuple[FileComparisonResult, ...]
    resumed: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayOutput:
    """A replay; ``summaries`` and ``pricing`` as in CompareOutput."""

    opened: OpenedConversation
    context: ReplayContext
    replay: ReplayResult
    summaries: str
    pricing: PricingModel


@dataclass(frozen=True, slots=True)
class SweepOutput:
    """A sweep; ``summaries`` and ``pricing`` as in CompareOutput."""

    opened: OpenedConversation
    sweep: SweepResult
    summaries: str
    pricing: PricingModel


@dataclass(frozen=True, slots=True)
class ProbeOutput:
    """Questions and answers. ``answers`` is empty where no model was called; ``price`` is that of all
    calls."""

    opened: OpenedConversation
    preview: Preview
    plan: ProbeRound
    answerer: Profile
    judge: Profile
    price: str
    answers: tuple[ProbeAnswer, ...] = ()
