"""What several folders share: the command line, a session, a model's server, a folder of
transcripts."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.app.recording_workspace import RecordingHandler
from tests.core.trials.chat_folder import folder, serial
from tests.support.loopback import Loopback, run_loopback

__all__ = ["folder", "serial"]

from tests.core.cli.running_cli import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """Thirty messages of an OpenAI chat: questions, calls, long results."""
    messages: list[dict[str, object]] = []
    for number in range(10):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "ls", "arguments": "{}"},
        }
        messages += [
            {"role": "user", "content": f"Question {number} about the upload test"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": f"{number} " + "src/file.py\n" * 90,
            },
        ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    return path


@pytest.fixture
def handler(transcript: Path) -> RecordingHandler:
    return RecordingHandler(transcript)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with run_loopback() as found:
        yield found
