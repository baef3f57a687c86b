"""The desk's part of looking closer: a message, why a cut lies where it lies, a recorded compaction."""

from __future__ import annotations

from core.desk import Look, LookCut, LookRecorded, LookRun
from core.open_file import OpenFile
from core.preview_values import Preview
from core.view.body import body
from core.view.recorded_page import recorded_page
from core.view.run_page import run_page
from core.view.values import Body, WhyPage
from core.view.why_cut import why_cut


def looked(
    command: Look | LookCut | LookRun | LookRecorded, file: OpenFile, shown: Preview
) -> Body | WhyPage:
    """What a command wants to see of the preview that is shown; InputError where there is no such thing."""
    match command:
        case Look():
            return body(shown, command.side, command.index, whole=command.whole)
        case LookCut():
            return why_cut(shown, command.name)
        case LookRun():
            return run_page(shown)
        case LookRecorded():
            return recorded_page(shown, file.recorded(shown), command.number)
