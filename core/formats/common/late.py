"""What few files need of the standard library, of other packages, and of readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    import shlex as shlex
    import shutil as shutil
    import sqlite3 as sqlite3
    import zipfile as zipfile
    from tempfile import TemporaryDirectory as TemporaryDirectory

    import zstandard as zstandard

    from core.formats.common.zip_transcripts import read_zip as read_zip
else:
    __getattr__ = late_names(
        __package__,
        {
            "TemporaryDirectory": "tempfile",
            "read_zip": ".zip_transcripts",
            "shlex": "shlex:*",
            "shutil": "shutil:*",
            "sqlite3": "sqlite3:*",
            "zipfile": "zipfile:*",
            "zstandard": "zstandard:*",
        },
    )
