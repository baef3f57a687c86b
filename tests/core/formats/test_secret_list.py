"""Found secrets are listed with their places in a warning, the dialog, and the question before a call."""

from __future__ import annotations

import json
from pathlib import Path

from core.export.export import export_history
from core.formats.writing.redacted_output import secret_lines, secret_locations_in, secrets_summary
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.cli.running_cli import Cli
from tests.core.formats.exporting import unchanged_export

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Hunter2" + "!x"
TALK = conversation(
    human("go on"),
    ai("", call("bash", "c", command=f"git push https://{TOKEN}@github.com/x/y")),
    tool(response("c", "bash", f"pushed with {TOKEN}")),
    human(f"DB_PASSWORD={PASSWORD}"),
)


def test_each_kind_is_named_with_its_messages_and_fields() -> None:
    found = secret_locations_in(enumerate(TALK.messages, 1))
    assert secret_lines(found) == (
        "2 × GitHub token ghp_…: #2 call bash command, #3 result",
        "1 × Password: #4 text",
    )
    assert secrets_summary(found) == "GitHub token (#2, #3), Password (#4)"


def test_an_export_says_where_and_never_what() -> None:
    for redact in (True, False):
        told = export_history(unchanged_export(TALK), "openai", redact=redact).warnings[-1]
        assert "GitHub token (#2, #3), Password (#4)" in told
        assert TOKEN[:8] not in told
        assert PASSWORD not in told


def test_the_command_line_lists_them_on_standard_error(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_text(json.dumps([{"role": "user", "content": f"DB_PASSWORD={PASSWORD}"}]))
    assert cli.run("convert", str(path), "--to", "markdown") == 0
    assert "The export holds 1 secret; redaction is off: Password (#1)." in cli.err
