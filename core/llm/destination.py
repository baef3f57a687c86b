"""Where the requests of a profile go: resolved here once, shown before a call, and kept to during
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.common.errors import InputError, did_you_mean
from core.llm import late
from core.settings.profile import OFFLINE

if TYPE_CHECKING:
    from core.settings.profile import Profile

EMBEDDED = "embedded"
"""litellm's name for our offline summariser: it runs in this process and sends nothing."""
_IN_PROCESS = (OFFLINE, EMBEDDED)
_PORTS = {"http": 80, "https": 443}
_FOLDED_PATHS = {"anthropic": "/v1"}
"""End of a base URL that litellm adds itself, by provider."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where requests go. ``base`` is the base URL that litellm is given, "" where nothing leaves
    the process. ``proxy`` is the address of the proxy on the way, "" for none. ``fault`` and
    ``hint`` say why there is no destination."""

    base: str = ""
    proxy: str = ""
    fault: str = ""
    hint: str = ""

    @property
    def host(self) -> str:
        return url_host(self.base)

    @property
    def is_loopback(self) -> bool:
        """Return whether every byte stays on this machine: the host is the loopback address."""
        return not self.fault and (
            not self.base or _is_loopback(urlsplit(self.base).hostname or "")
        )

    @property
    def name(self) -> str:
        """The host, with the proxy on the way to it."""
        if self.fault:
            return "nowhere"
        if not self.base:
            return "this process"
        if self.proxy:
            return f"{self.host} through the proxy {url_host(self.proxy)}"
        return self.host

    def reaches(self, url: str) -> bool:
        """Return whether an address has the destination's scheme, host and port."""
        return bool(self.base) and _origin(url) == _origin(self.base)


def _base_url(profile: Profile) -> str:
    return (profile.base_url or provider_addresses()[profile.provider]).rstrip("/")


def destination_of(profile: Profile) -> Destination:
    """Return the destination of a profile: its base URL, else the default of its provider. Of the
    environment only a proxy counts, and none on the way to the loopback address."""
    if profile.fault:
        return Destination(fault=profile.fault)
    if profile.provider in _IN_PROCESS:
        return Destination()
    if unknown := provider_fault(profile.provider):
        return Destination(fault=f"{profile.name}: {unknown[0]}", hint=unknown[1])
    base = _base_url(profile)
    if not base:
        text = f"The provider {profile.provider} has no address that is the same for everybody."
        return Destination(
            fault=f"{profile.name}: {text}", hint="Write the base URL into the profile."
        )
    # Probably litellm adds this path itself.
    base = base.removesuffix(_FOLDED_PATHS.get(profile.provider, "/"))
    try:
        is_address = urlsplit(base).scheme in _PORTS and bool(url_host(base))
        proxy = _proxy_to(base) if is_address else ""
        kind = urlsplit(proxy).scheme if url_host(proxy) else "http"
    except ValueError:
        is_address = False
    if not is_address:
        fault = f"{profile.name}: the base URL cannot be used."
        return Destination(fault=fault, hint="It must begin with http:// or https://.")
    # Probably a proxy of another kind needs a library that is not installed.
    if kind not in _PORTS:
        fault = f"{profile.name}: Foldline cannot use the {kind} proxy that the environment names."
        return Destination(
            fault=fault, hint="Name an http:// proxy, or list the host in NO_PROXY."
        )
    return Destination(base, proxy)


def checked_destination(profile: Profile) -> Destination:
    """Return the destination of a profile that is to be called; InputError where it has none."""
    destination = destination_of(profile)
    if destination.fault:
        raise InputError(destination.fault, destination.hint)
    return destination


def recipient(profile: Profile) -> str:
    """Return "to api.anthropic.com, by haiku"."""
    return f"to {destination_of(profile).name}, by {profile.name}"


def call_line(profile: Profile, price: str) -> str:
    """Return "to api.anthropic.com, by haiku, ≈ $0.05"."""
    return f"{recipient(profile)}, {price}"


def provider_fault(provider: str) -> tuple[str, str] | None:
    """Return why a provider cannot be called and the way out; None for one that litellm knows."""
    known = provider_addresses()
    if provider in known or provider in _IN_PROCESS:
        return None
    hint = (
        did_you_mean(provider, known).rstrip()
        or "For a server of your own, use openai and a base URL."
    )
    return f"litellm knows no provider {provider!r} with chat models.", hint


@cache
def provider_addresses() -> Mapping[str, str]:
    """Return the base URL of each provider that chats, "" where it has none of its own."""
    lines = Path(__file__).with_name("providers.tsv").read_text("utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines if not line.startswith("#"))
    return {name: address for name, _, address in pairs}


def _proxy_to(base: str) -> str:
    """Return the proxy that the environment names for an address, "" for none."""
    parts = urlsplit(base)
    host = parts.hostname or ""
    # A proxy must never see what goes to this machine.
    if _is_loopback(host):
        return ""

    proxies = late.getproxies()
    # The variable for all schemes is only asked where that of the scheme is not set.
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not proxy or late.proxy_bypass(
        f"{host}:{parts.port or _PORTS.get(parts.scheme, 0)}"
    ):
        return ""
    # Many write a proxy without its scheme, as curl allows.
    if "://" in proxy:
        return proxy
    return f"http://{proxy}"


def _is_loopback(host: str) -> bool:

    # The name is not resolved: a look-up could leave this machine.
    if host == "localhost":
        return True
    try:
        return late.ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def url_host(url: str) -> str:
    """Return host and port of an address, "" without them. Raises ValueError."""
    parts = urlsplit(url)
    if parts.port in (None, _PORTS.get(parts.scheme)):
        port = ""
    else:
        port = f":{parts.port}"
    if parts.hostname:
        return f"{parts.hostname}{port}"
    return ""
