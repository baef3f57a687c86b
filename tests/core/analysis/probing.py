"""A history with facts, its truncation, and a server that knows the answers."""

from collections.abc import Mapping
from functools import cache

from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import Conversation
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, conversation, exchange, human
from tests.support.loopback import Loopback, ReceivedRequest, Reply

ERROR = "AssertionError: expected 4 parts, found 3"
TODOS = [
    {"content": "Write the upload test", "status": "completed"},
    {"content": "Describe the retry policy", "status": "pending"},
]


def conversation_with_facts() -> Conversation:
    """Return rules, files, a value, an error, todos and a decision, followed by small talk."""
    rules = "Fix the uploader. Never touch `legacy_mode`. The retry_limit is 7 for staging."
    small_talk = (message for at in range(12) for message in (human(f"And {at}?"), ai("Fine. " * 40)))
    return conversation(
        human(rules),
        *exchange("r", "Read", "x = 1\n" * 40, file_path="/srv/app/config.py"),
        *exchange("e", "Edit", "ok", file_path="/srv/app/upload.py", old_string="a", new_string="b"),
        *exchange("t", "Bash", f"Exit code 1\n{ERROR}", command="pytest -q tests"),
        *exchange("d", "TodoWrite", "ok", todos=TODOS),
        ai("I decided to keep `send_part` synchronous because the store allows one connection."),
        *small_talk,
        model="m",
    )


@cache
def truncated_preview() -> Preview:
    effective = values(compression__strategy=TRUNCATION, context_limit=1_000)
    return compute_preview(conversation_with_facts(), effective)


class AnsweringServer(Loopback):
    """Answers known questions by their text, all others as absent."""

    def __init__(self, answers: Mapping[str, str | Reply]) -> None:
        super().__init__(Reply(""))
        self.answers = answers

    def reply_to(self, received: ReceivedRequest) -> Reply:
        self.log.append(received)
        reply = next((one for text, one in self.answers.items() if received.text.endswith(text)), "")
        return reply if isinstance(reply, Reply) else Reply(reply or "Not in the context.")
