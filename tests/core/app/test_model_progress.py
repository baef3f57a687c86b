"""Progress of a model's run: one summary, several, or an agent's rounds."""

from __future__ import annotations

from core.app.model_progress import ModelRunProgress
from core.llm.protocol import CallFinished, CallRetrying, CallStarted, TextReceived, TokenUsage, ToolUsed
from core.presentation.settings.model import SummaryProgress
from core.transcript.compaction import AgentStep
from tests.core.llm.model_asking import profile


def shown(picture: ModelRunProgress, *events: object) -> list[SummaryProgress]:
    """Return the progress after each of these events."""
    pictures: list[SummaryProgress] = []
    picture.emit = pictures.append
    found = []
    for event in events:
        picture.handle(event)  # type: ignore[arg-type]
        picture.show()
        found.append(pictures[-1])
    return found


def test_one_summary_grows_to_its_budget() -> None:
    picture = ModelRunProgress(profile(), 100, print)
    started, grown, done = shown(
        picture, CallStarted(1, 500), TextReceived("Half.", 50), CallFinished(TokenUsage(), 0.02, 1.0)
    )
    assert started.title == "work writes the summary"
    assert (grown.text, grown.fraction) == ("Half.", 0.5)
    assert grown.facts == ("≈500 tokens sent · ≈50 of at most 100 received",)
    assert done.facts[1] == "$0.02 in all"


def test_of_several_summaries_number_tokens_and_cost_add_up() -> None:
    picture = ModelRunProgress(profile(), 200, print, calls=2)
    first = (CallStarted(1, 500), TextReceived("First.", 40), CallFinished(TokenUsage(), 0.02, 1.0))
    *_, one, again, retry, two = shown(
        picture, *first, CallStarted(1, 300), CallRetrying(2, "the server failed", 1.0), CallStarted(2, 300)
    )
    assert (one.title, one.facts[1]) == ("work writes summary 1 of 2", "$0.02 so far")
    assert (again.title, again.text, again.fraction) == ("work writes summary 2 of 2", "", 0.5)
    assert "Try 2" in retry.facts[1]
    assert two.title == again.title
    assert two.facts[0] == "≈1,100 tokens sent · ≈40 of at most 200 received"


def test_an_agents_rounds_and_calls_stay_to_be_read() -> None:
    step = AgentStep(1, "verify", "{}", "Checked: the target is reached.", False, 10)
    picture = ModelRunProgress(profile(), 100, print, calls=8, rounds=True)
    *_, called, second = shown(
        picture,
        CallStarted(1, 500),
        TextReceived("I look.", 5),
        CallFinished(TokenUsage(), None, 1.0),
        ToolUsed(step),
        CallStarted(1, 600),
    )
    assert called.text == "I look.\nRound 1 · verify: Checked: the target is reached."
    assert second.title == "work works with tools, round 2 of at most 8"
    assert (second.fraction, len(second.facts)) == (1 / 8, 1)  # the cost is not known
