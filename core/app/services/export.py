"""Exports: writes the result, the source or a report to a file, and counts the secrets in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.presentation.export_model import ExportRequest, SecretsCount
from core.presentation.model import Notice

if TYPE_CHECKING:
    from core.preview.options import Preview


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """The notices of a written file; without any, the question before it is written.

    ``difference`` says how the file would open differently: confirm with ``force``. Without it a file exists
    already: confirm with ``overwrite``.
    """

    notices: tuple[Notice, ...] = ()
    difference: str = ""


class ExportService(Service):
    @remote(of_file=True)
    def export(self, request: ExportRequest) -> ExportAnswer:
        """Write a file. InputError where it is the source itself or cannot be written."""
        from core.app.saving import save_export
        from core.common.atomic_file import TargetExistsError
        from core.export.checked_saving import RoundTripError

        session = self._session
        preview, why = self._preview(), session.opened_file().format_reason
        try:
            return ExportAnswer(save_export(preview, request, why, session.reporter().working))
        except TargetExistsError:
            return ExportAnswer()
        except RoundTripError as error:
            return ExportAnswer(difference=error.message)

    @remote(latest=True, of_file=True)
    def count_secrets(self, request: ExportRequest) -> SecretsCount:
        """Count the secrets that such a file would hold."""
        from core.app.saving import count_secrets

        return count_secrets(self._preview(), request)

    def _preview(self) -> Preview:
        session, file = self._session, self._session.opened_file()
        return session.with_checks(file, file.exported or session.preview(file, session.view))
