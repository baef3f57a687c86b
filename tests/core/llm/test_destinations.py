"""A call goes where the profile says, whatever the environment names, and who receives it is said
before."""

import re
import time
from dataclasses import replace

import pytest

from core.app.events import CompactionRequest
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService
from core.common.errors import InputError
from core.llm.client import LLMClient
from core.llm.credentials import find_key
from core.llm.destination import call_line, destination_of, provider_addresses, url_host
from core.llm.litellm_adapter import load_litellm
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import run_tool
from core.presentation.dialog_model import CallQuestion
from core.presentation.model import Notice
from core.settings.profile import Profile
from core.settings.schema import LIMIT
from core.settings_store.profile_store import ProfileStore
from tests.core.app.recording_workspace import RecordingHandler, last_event
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.llm.model_asking import RecordingCaller, profile, request
from tests.support.loopback import Reply, run_loopback
from tests.tools.destination_trials import (
    FAMILIES,
    FAR,
    PROXIES,
    address_variables,
    profile_of,
    received,
    received_by_each,
)

NAMED = (
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_BASE",
    "OLLAMA_API_BASE",
)


def test_the_variables_are_those_that_litellm_reads() -> None:
    assert {
        *NAMED,
        "GEMINI_API_BASE",
        "LM_STUDIO_API_BASE",
        "LITELLM_PROXY_API_BASE",
    } <= {*address_variables()}
    assert len(address_variables()) > 150


@pytest.mark.parametrize("provider", FAMILIES)
def test_no_variable_and_no_proxy_moves_a_call_to_this_machine(provider: str) -> None:
    found = received(profile_of(provider), address_variables(), PROXIES)
    assert (found.own > 0, found.other, found.proxy) == (True, 0, 0)
    assert found.line == "OWN"


@pytest.mark.parametrize("name", NAMED)
def test_each_variable_alone_moves_nothing(name: str) -> None:
    provider = name.partition("_")[0].lower()
    found = received(profile_of(provider), (name,))
    assert (found.own > 0, found.other) == (True, 0)


def test_without_a_base_url_every_provider_is_reached_at_its_own_address() -> None:
    names = [
        name
        for name, address in provider_addresses().items()
        if address and "127.0.0.1" not in address
    ]
    profiles = [profile_of(name, "") for name in names]
    found = dict(
        zip(names, received_by_each(profiles, address_variables()), strict=True)
    )
    assert {provider: one.other for provider, one in found.items() if one.other} == {}
    hosts = {
        provider: {url_host(provider_addresses()[provider]).partition(":")[0]}
        for provider in found
    }
    assert {
        name: one.looked_up
        for name, one in found.items()
        if not one.looked_up <= hosts[name]
    } == {}
    reached = [name for name, one in found.items() if one.looked_up]
    assert {*FAMILIES, "lm_studio"} <= {*reached}
    assert len(reached) > len(found) - 5  # some want models of another form


def test_a_provider_without_an_address_is_not_called() -> None:
    homeless = [
        profile_of(name, "")
        for name, address in provider_addresses().items()
        if not address
    ]
    for found in received_by_each(homeless, address_variables()):
        assert (found.other, found.looked_up) == (0, frozenset())
        assert "has no address that is the same for everybody" in found.refusal


@pytest.mark.filterwarnings(
    "ignore:Item :UserWarning"
)  # litellm builds its types at its first call
def test_the_known_providers_are_those_of_litellm_that_chat() -> None:
    litellm = load_litellm()
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry

    names = {getattr(one, "value", one) for one in litellm.provider_list} | {
        *JSONProviderRegistry.list_providers()
    }
    assert {*provider_addresses()} <= names
    for name in sorted(names.difference(provider_addresses())):
        with pytest.raises(litellm.BadRequestError, match="Unmapped LLM provider"):
            litellm.completion(
                model=f"{name}/m",
                messages=[{"role": "user", "content": "x"}],
                api_key="k",
            )


def test_any_other_proxy_is_named_before_the_yes() -> None:
    found = received(profile_of("openai", FAR), proxies=PROXIES)
    assert (found.proxy, found.line) == (
        1,
        "models.example.invalid through the proxy PROXY",
    )
    direct = received(
        profile_of("openai", FAR), proxies=PROXIES, no_proxy="models.example.invalid"
    )
    assert (direct.proxy, direct.line) == (0, "models.example.invalid")
    assert direct.looked_up == {"models.example.invalid"}


def test_a_proxy_is_shown_without_its_password_and_only_of_a_kind_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    haiku = Profile(name="haiku", provider="anthropic", model="claude-haiku-4-5")
    monkeypatch.setenv("https_proxy", "http://me:not-a-password@proxy.example:3128")
    sent = call_line(haiku, "≈ $0.05")
    assert (
        sent
        == "to api.anthropic.com through the proxy proxy.example:3128, by haiku, ≈ $0.05"
    )
    monkeypatch.setenv("https_proxy", "socks5://proxy.example:1080")
    assert "cannot use the socks5 proxy" in destination_of(haiku).fault


@pytest.mark.parametrize(
    ("base_url", "is_loopback"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://192.168.1.7/v1", False),
        ("http://host.docker.internal/v1", False),
        ("http://me.localhost/v1", False),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://0.0.0.0:8080/v1", False),
    ],
)
def test_only_the_loopback_address_is_this_machine(
    base_url: str, is_loopback: bool
) -> None:
    assert destination_of(profile(base_url=base_url)).is_loopback is is_loopback


def test_a_call_to_another_scheme_of_the_host_is_another_destination() -> None:
    destination = destination_of(Profile(name="p", provider="openai", model="m"))
    assert destination.reaches("https://api.openai.com/v1/chat/completions")
    assert not destination.reaches("http://api.openai.com/v1/chat/completions")
    assert not destination.reaches("https://api.openai.com:8443/v1/chat/completions")


def test_loading_litellm_is_no_part_of_the_time_that_a_call_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def slow() -> None:
        time.sleep(0.7)

    with run_loopback(Reply(), Reply()) as server:
        RecordingCaller(profile(server)).summarise(
            request()
        )  # whatever litellm loads at its first call
        monkeypatch.setattr("core.llm.client.loaded_litellm", slow)
        asker = RecordingCaller(profile(server, total_timeout=0.6))
        assert (asker.summarise(request()).seconds or 1.0) < 0.6


@pytest.mark.parametrize(
    "after", ["nan", "inf", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"]
)
def test_a_pause_that_is_no_time_is_not_waited_for(after: str) -> None:
    busy = Reply(
        text="Slow down.",
        status=429,
        code="rate_limit_exceeded",
        headers=(("Retry-After", after),),
    )
    with run_loopback(busy, Reply()) as server:
        response = RecordingCaller(profile(server), retries=1).summarise()
    assert (response.retries, len(server.log)) == (1, 2)
    assert (response.seconds or 9.0) < 5


def test_a_key_that_no_request_can_carry_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key, cause in (
        ("k-one\nk-two", "a line break"),
        ("k-ключ", "a character beyond ASCII"),
    ):
        monkeypatch.setenv("HAIKU_KEY", key)
        with pytest.raises(InputError, match=f"HAIKU_KEY holds {cause}") as caught:
            find_key(
                Profile(
                    name="haiku", provider="anthropic", model="m", key_env="HAIKU_KEY"
                )
            )
        assert "k-" not in str(caught.value)


def test_a_client_of_a_missing_profile_calls_nobody() -> None:
    missing = Profile(
        name="flsh", provider="", model="", fault="There is no profile 'flsh'."
    )
    client = LLMClient(missing, "", retries=0, observer=print, cancelled=bool)
    with pytest.raises(InputError, match="There is no profile 'flsh'"):
        client.call([], None, iter(()))  # type: ignore[arg-type]


AWAY = Profile(
    name="away",
    provider="ollama",
    model="llama3",
    base_url="http://models.example.invalid",
)
LIMITED = ("--set", f"{LIMIT}=60000")
LINE = "to models.example.invalid, by away, price unknown"


@pytest.mark.parametrize("command", ["compact", "compare", "sweep", "replay", "ask"])
def test_the_name_of_a_provider_is_no_yes_on_the_command_line(
    cli: Cli, command: str
) -> None:
    ProfileStore().save(AWAY)
    varied = (
        ("--vary", "compression.preserve-threshold=0.1,0.2")
        if command == "sweep"
        else ()
    )
    said = cli.error_text(
        command, SESSION, "-s", "middle-out", *varied, *LIMITED, "--profile", "away"
    )
    assert re.search(
        r"would call a model: to models\.example\.invalid, by away, .*price unknown",
        said,
    )
    assert "Agree with --yes, or " in said


def test_nor_in_the_window_nor_for_an_agent(handler: RecordingHandler) -> None:
    ProfileStore().save(AWAY)
    handler(ProfileService.use, "away")
    handler(PreviewService.compact, CompactionRequest())
    assert last_event(handler, CallQuestion).title == f"Send this {LINE}?"
    answer = run_tool(
        ManualCompactions(),
        "compact",
        {"path": SESSION, "strategy": "middle-out", "profile": "away"},
    )
    assert answer.is_error
    assert LINE in answer.text


def test_a_yes_holds_for_one_destination(
    handler: RecordingHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    ProfileStore().save(replace(AWAY, timeout=1.0))
    handler(ProfileService.use, "away")
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.compact, CompactionRequest(agreed=True))
    assert "models.example.invalid" in last_event(handler, Notice).title
    monkeypatch.setenv("http_proxy", "http://proxy.example.invalid:3128")
    handler(PreviewService.compact, CompactionRequest())
    assert (
        "through the proxy proxy.example.invalid:3128"
        in last_event(handler, CallQuestion).title
    )


def test_a_provider_that_nobody_knows_is_refused_when_it_is_saved() -> None:
    with pytest.raises(
        InputError, match=r"'antropic' with chat models\. Did you mean anthropic\?"
    ):
        ProfileStore().save(Profile(name="p", provider="antropic", model="m"))


@pytest.mark.parametrize(
    "name", ["api_base", "base_url", "custom_llm_provider", "fallbacks"]
)
def test_no_parameter_of_a_profile_moves_a_call(name: str) -> None:
    with run_loopback() as elsewhere:
        value = {"custom_llm_provider": "anthropic", "fallbacks": ["anthropic/m"]}.get(
            name, elsewhere.base
        )
        found = received(replace(profile_of("openai"), parameters={name: value}))
        assert elsewhere.log == []
    assert found.looked_up == frozenset()
