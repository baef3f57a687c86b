"""What few files need of the standard library and of other packages."""

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
else:
    __getattr__ = late_names(
        __package__,
        {
            "TemporaryDirectory": "tempfile",
            "shlex": "shlex:*",
            "shutil": "shutil:*",
            "sqlite3": "sqlite3:*",
            "zipfile": "zipfile:*",
            "zstandard": "zstandard:*",
        },
    )
