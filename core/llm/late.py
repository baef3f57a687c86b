"""What only a call of a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    import asyncio as asyncio
    import ipaddress as ipaddress
    from concurrent.futures import wait as wait
    from email.utils import parsedate_to_datetime as parsedate_to_datetime
    from urllib.request import getproxies as getproxies
    from urllib.request import proxy_bypass as proxy_bypass

else:
    __getattr__ = late_names(
        __package__,
        {
            "asyncio": "asyncio:*",
            "getproxies": "urllib.request",
            "ipaddress": "ipaddress:*",
            "parsedate_to_datetime": "email.utils",
            "proxy_bypass": "urllib.request",
            "wait": "concurrent.futures",
        },
    )
