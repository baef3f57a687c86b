"""Exports, the question before an overwrite, the count of secrets."""

from __future__ import annotations

from collections.abc import Callable

from core.app.messages import CountSecretsCommand, Event, ExportCommand, FileExistsEvent
from core.app.saving import count_secrets, save_export
from core.common.atomic_file import TargetExistsError
from core.export.checked_saving import RoundTripError
from core.presentation.model import Notice
from core.preview.options import Preview
from core.transcript.model import Progress, no_progress


def run_export(
    command: ExportCommand | CountSecretsCommand,
    preview: Preview,
    why: str,
    emit: Callable[[Event], None],
    progress: Progress = no_progress,
) -> None:
    """Carry out a command on a preview; ``why`` says why its source was read as its format."""
    if isinstance(command, CountSecretsCommand):
        emit(count_secrets(preview, command))
        return
    try:
        exported, warnings = save_export(preview, command, why, progress)
    except TargetExistsError:
        emit(FileExistsEvent(command))
        return
    except RoundTripError as error:
        emit(FileExistsEvent(command, error.message))
        return
    emit(exported)
    for warning in warnings:
        emit(Notice("warning", warning, ""))
