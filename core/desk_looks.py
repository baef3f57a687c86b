"""The desk's part of looking closer: a message, why a cut lies where it lies, a recorded compaction."""

from __future__ import annotations

from core.conversation import Progress
from core.desk import Look, LookCut, LookFidelity, LookRecorded, LookRun
from core.open_file import OpenFile
from core.preview_values import Preview
from core.view.body import body
from core.view.effects import effect
from core.view.fidelity_page import fidelity_page
from core.view.fidelity_values import FidelityPage
from core.view.recorded_page import recorded_page
from core.view.run_page import run_page
from core.view.scene import scene
from core.view.values import Body, WhyPage
from core.view.why_cut import why_cut


def looked(
    command: Look | LookCut | LookRun | LookFidelity | LookRecorded,
    file: OpenFile,
    shown: Preview,
    progress: Progress,
) -> Body | WhyPage | FidelityPage:
    """What a command wants to see of the preview that is shown; InputError where there is no such thing."""
    match command:
        case Look():
            return body(shown, command.side, command.index, whole=command.whole)
        case LookCut():
            return why_cut(shown, command.name)
        case LookRun():
            return run_page(shown)
        case LookFidelity():
            return _fidelity(file, shown, progress)
        case LookRecorded():
            return recorded_page(shown, file.recorded(shown), command.number)


def _fidelity(file: OpenFile, shown: Preview, progress: Progress) -> FidelityPage:
    """Judged now or before; the effect of the last change tells of it where its start was judged too."""
    found = file.fidelity(shown, progress)
    change = file.change
    former = None if change is None else file.known_fidelity(change.previous)
    effects = (None if former is None else former.weighted, found.weighted)
    return fidelity_page(shown, found, effect(scene(shown), change, effects))
