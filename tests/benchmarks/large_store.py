"""Memory that one session of a large opencode database takes: ``python -m
tests.benchmarks.large_store MB``.

The database is built in a temporary folder, its other sessions in rows of zeros, and removed
afterwards."""

import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

_TABLES = """
CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, revert TEXT,
    time_created INTEGER, time_updated INTEGER);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
CREATE INDEX part_session ON part(session_id);
CREATE INDEX message_session ON message(session_id, time_created, id);
"""
_PART = 1_000_000
_OWN_PARTS = 10
_READ = (
    "import sys, resource\n"
    "from core.formats.registry import load_conversation\n"
    "loaded = load_conversation(sys.argv[1])\n"
    "print(len(loaded.messages), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
)


def build(path: Path, megabytes: int) -> None:
    """Write a newest session of ten parts of 1 MB, and older ones that fill the rest."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _TABLES
        )
        for number in range(megabytes):
            own = number < _OWN_PARTS
            session = "ses_own" if own else f"ses_{number // 20}"
            message = (f"m{number}", session, number, '{"role": "user"}')
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", message)
            text = [json.dumps({"type": "text", "text": "x" * _PART})] if own else []
            data = "?" if own else f"zeroblob({_PART})"
            part = (f"p{number}", f"m{number}", session, *text)
            connection.execute(f"INSERT INTO part VALUES (?, ?, ?, {data})", part)
            row = (session, number, 10**9 if own else number)
            insert = "INSERT OR IGNORE INTO session VALUES (?, NULL, '/repo', 'T', NULL, ?, ?)"
            connection.execute(insert, row)
        connection.commit()


def peak(path: Path) -> str:
    """Return messages and peak memory in MB of a process that opens the newest session."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, path], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in (_OWN_PARTS, int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
            path = Path(folder) / "opencode.db"
            path.unlink(missing_ok=True)
            build(path, megabytes)
            size = path.stat().st_size / 1e6
            print(f"{size:,.0f} MB: messages and peak MB {peak(path)}", flush=True)


if __name__ == "__main__":
    main()
