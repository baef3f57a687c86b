"""What a model receives is what was exported, shown and priced, with every strategy that calls
one."""

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from core.analysis.costs import run_cost
from core.api import compact
from core.app.events import CompactionRequest
from core.app.services.export import ExportService
from core.app.services.lists import MessageListService
from core.app.services.preview import PreviewService
from core.app.services.prompts import PromptService
from core.app.services.side_by_side import SideBySideService
from core.formats.registry import load_conversation
from core.llm.pricing import MESSAGE_TOKENS
from core.llm.protocol import SummaryRequest
from core.presentation.dialog_model import ExportRequest, PromptLocation
from core.preview.options import PreviewOptions, SummaryOptions
from core.preview.preview import compute_preview, requests_of
from core.settings.profile import Profile
from core.settings.prompt_levels import save_override
from core.settings.prompts import PromptLevel, built_in, prompts_folder
from core.settings.schema import EXCERPT_SUMMARY, HYBRID_MODE, SUMMARY_TOKENS
from core.settings_store.layers import SettingLayers
from core.strategies import hybrid, one_shot
from core.strategies.hybrid_agent import MODE, PROMPT
from core.strategies.registry import STRATEGIES
from core.summarize.offline_summariser import OfflineSummariser
from core.tokens.counter import counter_for
from core.transcript.compaction import FateKind
from core.trials.trial import Trial
from tests.core.app.recording_workspace import LIMIT, STRATEGY, RecordingHandler
from tests.support.loopback import Loopback, Reply
from tests.support.sampling import sampled

SAMPLE = Path(__file__).parents[3] / "resources" / "samples" / "fix-flaky-upload.jsonl"
"""Its agent reports sizes, so that all counts are calibrated."""
CALLING = [strategy.name for strategy in STRATEGIES if strategy.prompts]
FOCUS = "the signature of upload()"
MODEL = "tiny-1"
SETTINGS = ((LIMIT, 60_000), (SUMMARY_TOKENS, 400), (EXCERPT_SUMMARY, True))
PARAMETERS = ("model", "max_tokens", "temperature", "stream")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The beginning of the sample: long enough for every strategy, short enough for all of them."""
    path = tmp_path_factory.mktemp("sample") / SAMPLE.name
    path.write_text(
        "".join(SAMPLE.read_text("utf-8").splitlines(keepends=True)[:90]), "utf-8"
    )
    return path


Chat = list[tuple[str, str]]  # role and text of each message


def _received_chat(body: Any) -> Chat:
    """Return a body's messages, whichever way the API takes them."""
    system = [{"role": "system", "content": body["system"]}] if "system" in body else []
    return [
        (one["role"], _text(one["content"])) for one in (*system, *body["messages"])
    ]


def _text(content: Any) -> str:
    return (
        content
        if isinstance(content, str)
        else "".join(block["text"] for block in content)
    )


def _foreseen(chat: Chat, received: Chat, awaits: bool) -> Chat:
    """Return an exported chat; an earlier answer that it holds a placeholder for is as received."""
    *others, (role, text) = chat
    if not awaits or not received[-1][1].startswith(text.removesuffix("…")):
        return chat
    return [*others, (role, received[-1][1])]


def _tokens(chat: Chat) -> int:
    count = counter_for(MODEL).text
    return sum(count(text) + MESSAGE_TOKENS for _, text in chat)


def _override(name: str) -> None:
    save_override(
        PromptLevel.BASE,
        f"Say less.\n{built_in(name).text}",
        name,
        "",
        "",
        prompts_folder(),
    )


def _pin_restore_and_override(handler: RecordingHandler) -> None:
    for index, kind in ((20, "keep"), (30, "drop"), (40, "keep")):
        handler.call(MessageListService.set_pin, "before", index, kind)
    fates = handler.preview.result.compaction.fates
    gone = [
        index for index, fate in enumerate(fates) if fate.kind is FateKind.SUMMARISED
    ]
    for index in gone[:1]:
        handler(PreviewService.restore_message, index)
    for name in handler.preview.strategy.prompts:
        _override(name)
    handler(PreviewService.change)


# Every strategy sends with pins and its own prompts to OpenAI, some without them to Anthropic.
@pytest.mark.parametrize(
    ("strategy", "provider"),
    [
        *((name, "openai") for name in CALLING),
        *((name, "anthropic") for name in CALLING[:: sampled(1, 4)]),
    ],
)
def test_sent_is_exported_is_shown_is_priced(
    sample: Path, strategy: str, provider: str, server: Loopback, tmp_path: Path
) -> None:
    handler = RecordingHandler(sample)
    handler.use_profile(server, provider=provider, base_url=server.base_url(provider))
    handler(PreviewService.change, ((STRATEGY, strategy), *SETTINGS))
    handler(PreviewService.set_focus, FOCUS)
    if provider == "openai":
        _pin_restore_and_override(handler)
    preview, target = handler.preview, tmp_path / "request.json"
    assert preview.sizes.sizing.is_reported
    run = requests_of(preview)
    handler(ExportService.export, ExportRequest(path=str(target), format="request"))
    exported = json.loads(target.read_text("utf-8"))
    bodies = exported if isinstance(exported, list) else [exported]
    names = preview.strategy.prompts
    pages = {
        name: handler(PromptService.page, PromptLocation(name)).request
        for name in names
    }
    answers = [
        OfflineSummariser(counter_for("").text).summarise(one).text
        for one in run.requests
    ]
    server.script, server.log = [Reply(text=text) for text in answers], []
    handler(PreviewService.compact, CompactionRequest())

    received = [_received_chat(one.body) for one in server.log]
    awaiting = [one.awaited_tokens for one in run.requests]
    chats = [
        [(one["role"], one["content"]) for one in body["messages"]] for body in bodies
    ]
    assert received
    assert received == [
        _foreseen(chat, got, bool(awaits))
        for chat, got, awaits in zip(chats, received, awaiting, strict=True)
    ]
    for body, got in zip(bodies, server.log, strict=True):
        assert [body.get(name) for name in PARAMETERS] == [
            got.body.get(name) for name in PARAMETERS
        ]
        if provider == "openai":
            assert {**got.body, "messages": None} == {**body, "messages": None}
    for name, page in pages.items():
        of_prompt = [
            chat
            for chat, one in zip(chats, run.requests, strict=True)
            if one.prompt_name == name
        ]
        assert [(part.role, part.text) for part in page.parts] == [*chain(*of_prompt)]
    assert {one.prompt_name for one in run.requests} <= {*names}
    assert run_cost(run, preview.summary.profile).sent == sum(
        map(_tokens, chats)
    ) + sum(awaiting)


@pytest.mark.req("LH-72")
def test_the_first_round_of_an_agent_is_exported_and_shown(
    sample: Path, server: Loopback, tmp_path: Path
) -> None:
    handler = RecordingHandler(sample)
    handler.use_profile(server, Reply(text="Nothing to do."))
    handler(
        PreviewService.change, ((STRATEGY, hybrid.NAME), (HYBRID_MODE, MODE), *SETTINGS)
    )
    handler(PreviewService.set_focus, FOCUS)
    preview, target = handler.preview, tmp_path / "request.json"
    handler(ExportService.export, ExportRequest(path=str(target), format="request"))
    page = handler(PromptService.page, PromptLocation(PROMPT)).request
    handler(PreviewService.compact, CompactionRequest())
    (sent,) = (one.body for one in server.log)
    assert sent == json.loads(target.read_text("utf-8"))
    assert [(part.role, part.text) for part in page.parts] == _received_chat(sent)
    assert run_cost(requests_of(preview), preview.summary.profile).sent >= _tokens(
        _received_chat(sent)
    )


def test_another_second_prompt_makes_a_summary_stale(
    sample: Path, server: Loopback
) -> None:
    """The summary was written with the prompts of its time; the run keeps its name for them
    only."""
    handler = RecordingHandler(sample)
    handler.use_profile(server)
    handler(PreviewService.change, ((STRATEGY, "pi"), *SETTINGS))
    requests = requests_of(handler.preview).requests
    server.script = [
        Reply(text=OfflineSummariser(counter_for("").text).summarise(one).text)
        for one in requests
    ]
    written = handler.screen(PreviewService.compact, CompactionRequest())
    assert (written.request.stale, "run 1" in written.result.heading) == (False, True)
    assert "stale" not in {one.topic for one in handler.notices}
    _override("pi-turn")
    changed = handler.screen(PreviewService.change)
    assert (changed.request.stale, "run 1" in changed.result.heading) == (True, False)
    assert "stale" in {one.topic for one in handler.notices}
    cells = [next(iter(screen.aligned.cells.values())) for screen in (written, changed)]
    assert (cells[0].state, cells[1].text) == (
        "",
        cells[0].text,
    )  # what is out of date can be read
    assert cells[1].state
    assert (
        requests_of(handler.preview)
        .with_prompt("pi-turn")[0]
        .prompt.startswith("Say less.")
    )


def _beside(handler: RecordingHandler) -> None:
    handler(SideBySideService.results, Trial(one_shot.NAME), Trial("none"))


def _draft(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((SUMMARY_TOKENS, 700),), draft=True)


@pytest.mark.parametrize("show_over", [_beside, _draft])
def test_what_is_shown_over_the_preview_is_not_what_a_run_sends(
    sample: Path,
    show_over: Callable[[RecordingHandler], None],
    server: Loopback,
    tmp_path: Path,
) -> None:
    handler, targets = (
        RecordingHandler(sample),
        [tmp_path / f"{number}.json" for number in range(2)],
    )
    handler.use_profile(server)
    handler(PreviewService.change, ((STRATEGY, "pi"), *SETTINGS))
    pages = []
    for target in targets:
        handler(ExportService.export, ExportRequest(path=str(target), format="request"))
        pages.append(handler(PromptService.page, PromptLocation("pi")).request)
        show_over(handler)
    assert targets[0].read_text("utf-8") == targets[1].read_text("utf-8")
    assert pages[0] == pages[1]
    handler(
        ExportService.export,
        ExportRequest(path=str(tmp_path / "line.sh"), format="command"),
    )
    assert "--scope" not in (tmp_path / "line.sh").read_text("utf-8")


def test_a_prompt_that_another_program_saved_is_exported_as_it_is_sent(
    sample: Path, server: Loopback, tmp_path: Path
) -> None:
    handler, target = RecordingHandler(sample), tmp_path / "request.json"
    handler.use_profile(server)
    handler(PreviewService.change, ((STRATEGY, one_shot.NAME), *SETTINGS))
    _override(handler.preview.strategy.prompts[0])
    handler(ExportService.export, ExportRequest(path=str(target), format="request"))
    handler(PreviewService.compact, CompactionRequest())
    (sent,) = server.log
    assert _received_chat(sent.body)[0][1].startswith("Say less.")
    assert sent.body == json.loads(target.read_text("utf-8"))


def test_a_prompt_is_shown_in_its_own_request(sample: Path, server: Loopback) -> None:
    handler = RecordingHandler(sample)
    handler.use_profile(server)
    handler(PreviewService.change, ((STRATEGY, "pi"), *SETTINGS))
    for name in ("pi", "pi-turn"):
        page = handler(PromptService.page, PromptLocation(name), "Only this text.")
        assert page.request.parts[0].text.startswith("Only this text.")
        assert "Only this text." not in "".join(
            part.text for part in page.request.parts[1:]
        )
    page = handler(PromptService.page, PromptLocation("tiered"))
    assert (page.request.parts, page.request.reason) == (
        (),
        "pi does not use this prompt.",
    )


@pytest.mark.parametrize("strategy", CALLING)
def test_the_library_asks_what_a_preview_foresees(sample: Path, strategy: str) -> None:
    asked: list[SummaryRequest] = []
    offline = OfflineSummariser(counter_for("").text)

    def write(request: SummaryRequest) -> str:
        asked.append(request)
        return offline.summarise(request).text

    talk, layers = load_conversation(sample), SettingLayers()
    compact(
        talk, strategy=strategy, settings=dict(SETTINGS), focus=FOCUS, summarizer=write
    )
    for key, value in ((STRATEGY, strategy), *SETTINGS):
        layers = layers.with_session(key, value)
    profile = Profile(name="summarizer", provider="openai", model=MODEL)
    options = PreviewOptions(
        focus=FOCUS, summary=SummaryOptions(profile=profile, is_written=False)
    )
    foreseen = requests_of(compute_preview(talk, layers.resolve(), options)).requests
    assert foreseen
    for real, expected in zip(asked, foreseen, strict=True):
        if (
            not expected.awaited_tokens
        ):  # else it holds an earlier answer in place of a placeholder
            assert real == expected
