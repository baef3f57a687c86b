"""Who receives a call: measured with servers on the loopback address, a proxy, and no other
network.

``python -m tests.tools.destination_trials`` prints the table of ``tests/robustness.md``.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.llm.client import LLMClient
from core.llm.destination import destination_of, provider_addresses
from core.llm.litellm_adapter import RequestOptions, load_litellm
from core.settings.profile import Profile
from tests.support.loopback import Loopback, run_loopback

FAMILIES = (
    "openai",
    "anthropic",
    "gemini",
    "ollama",
    "groq",
    "deepseek",
    "mistral",
    "openrouter",
)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
FAR = "http://models.example.invalid/v1"
_KEY = "k-not-a-real-key-0000"
_READ = re.compile(rb"""[(\[]\s*["']([A-Z][A-Z0-9]*_[A-Z0-9_]+)["']""")
_ADDRESS = re.compile(r"(?:^|_)(?:BASE|URLS?|URI|ENDPOINT|HOST|DOMAIN)(?:_|$)")
_JSON_FIELD = re.compile(r'"api_base_env"\s*:\s*"(\w+)"')
_SERVER_CODE = ("proxy", "integrations", "types")
"""Folders of litellm that no call runs through."""


@cache
def address_variables() -> tuple[str, ...]:
    """Return every variable of the environment that the installed litellm reads for an address, by
    its source, and the usual two names for each provider."""
    root = Path(load_litellm().__file__).parent
    names = set[str]()
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in _SERVER_CODE:
            continue
        literals = map(bytes.decode, set(_READ.findall(path.read_bytes())))
        names.update(filter(_ADDRESS.search, literals))
    names.update(
        _JSON_FIELD.findall(
            (root / "llms/openai_like/providers.json").read_text("utf-8")
        )
    )
    for provider in provider_addresses():
        stem = re.sub(r"\W", "_", provider).upper()
        names.update((f"{stem}_API_BASE", f"{stem}_BASE_URL"))
    return tuple(sorted(names))


@dataclass(frozen=True, slots=True)
class Received:
    """Who heard of one call: the profile's server, the server that variables name, the proxy, and
    the host names that were looked up for anybody else. ``refusal`` is why there is no answer,
    ``line`` what is shown as the destination."""

    own: int
    other: int
    proxy: int
    looked_up: frozenset[str] = frozenset()
    refusal: str = ""
    line: str = ""

    @property
    def words(self) -> str:
        parts = [
            f"{count} {name}"
            for name, count in (
                ("own server", self.own),
                ("other server", self.other),
                ("proxy", self.proxy),
            )
            if count
        ]
        parts += [f"`{host}` alone was looked up" for host in sorted(self.looked_up)]
        return ", ".join(parts) or "nobody"


@contextmanager
def _no_network() -> Iterator[set[str]]:
    """Yield the host names that are looked up inside; none is found."""
    names = set[str]()

    def getaddrinfo(host: str | bytes, *_: object, **__: object) -> Json:
        names.add(host.decode() if isinstance(host, bytes) else host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with patch("socket.getaddrinfo", getaddrinfo):
        yield names


def received(
    profile: Profile,
    variables: tuple[str, ...] = (),
    proxies: tuple[str, ...] = (),
    **more: str,
) -> Received:
    """Call a profile once; see ``received_by_each``."""
    (result,) = received_by_each((profile,), variables, proxies, **more)
    return result


def received_by_each(
    profiles: Iterable[Profile],
    variables: tuple[str, ...] = (),
    proxies: tuple[str, ...] = (),
    **more: str,
) -> list[Received]:
    """Call each profile once with these variables set to another server and these to a proxy. A
    base URL "own" of a profile stands for a server of its own."""
    with ExitStack() as stack:
        servers = [stack.enter_context(run_loopback()) for _ in range(3)]
        own, other, proxy = servers
        stack.enter_context(_environment(variables, other, proxies, proxy, more))
        looked_up = stack.enter_context(_no_network())
        results = []
        for profile in profiles:
            if profile.base_url == "own":
                profile = replace(profile, base_url=own.base_url(profile.provider))
            line, refusal = destination_of(profile).name, _refusal(profile)
            for server, name in zip(servers, ("OWN", "OTHER", "PROXY"), strict=True):
                line = line.replace(server.base.removeprefix("http://"), name)
            names = frozenset(name for name in looked_up if name != "127.0.0.1")
            results.append(
                Received(
                    len(own.log), len(other.log), len(proxy.log), names, refusal, line
                )
            )
            looked_up.clear()
            for server in servers:
                server.log.clear()
        return results


@contextmanager
def _environment(
    variables: tuple[str, ...],
    other: Loopback,
    proxies: tuple[str, ...],
    proxy: Loopback,
    more: Mapping[str, str],
) -> Iterator[None]:
    values = {**dict.fromkeys(variables, f"{other.base}/v1"), **more}
    for name in proxies:
        values |= {name: proxy.base, name.lower(): proxy.base}
    with patch.dict("os.environ", values):
        yield


def _refusal(profile: Profile) -> str:
    def observe(_: object) -> None:
        """Nothing is reported."""

    client = LLMClient(profile, _KEY, retries=0, observer=observe, cancelled=bool)
    try:
        client.call(
            [{"role": "user", "content": "text of a transcript"}],
            RequestOptions(),
            iter(()),
        )
    except (CompactionFailed, InputError) as error:
        return error.message
    return ""


def profile_of(provider: str, base_url: str = "own") -> Profile:
    return Profile(
        name="p",
        provider=provider,
        model="m",
        base_url=base_url,
        timeout=5.0,
        stream=False,
    )


def rows() -> list[tuple[str, str, str, str]]:
    """Return the table: profile, environment, what is shown as the destination, who received the
    call."""
    every = address_variables()
    found: list[tuple[str, str, str, str]] = []

    def add(who: str, environment: str, result: Received) -> None:
        shown = result.line.replace("OWN", "127.0.0.1").replace("PROXY", "127.0.0.1")
        found.append((who, environment, shown, result.words))

    for provider in FAMILIES[:4]:
        own, default = profile_of(provider), profile_of(provider, "")
        here, everything = (
            f"`{provider}`, base URL on 127.0.0.1",
            f"all {len(every)} variables",
        )
        for name in (f"{provider.upper()}_API_BASE", f"{provider.upper()}_BASE_URL"):
            add(here, f"`{name}`", received(own, (name,)))
        add(here, everything, received(own, every))
        add(here, "a proxy for all", received(own, proxies=PROXIES))
        add(f"`{provider}`, no base URL", everything, received(default, every))
    gateway = received(profile_of("openai"), every, USE_LITELLM_PROXY="True")
    add(
        "`openai`, base URL on 127.0.0.1",
        "`USE_LITELLM_PROXY` and all of them",
        gateway,
    )
    far, elsewhere = profile_of("openai", FAR), "`openai`, base URL of another host"
    add(elsewhere, "a proxy for all", received(far, proxies=PROXIES))
    add(
        elsewhere, "a proxy, `NO_PROXY=*`", received(far, proxies=PROXIES, no_proxy="*")
    )
    nowhere = received(profile_of("hosted_vllm", ""), every)
    add("`hosted_vllm`, no base URL", f"all {len(every)} variables", nowhere)
    return found


if __name__ == "__main__":
    from tests.tools.docs_tables import destinations

    print(destinations())
