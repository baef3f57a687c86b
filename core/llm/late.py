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

    from core.llm.connection import install_client_rules as install_client_rules
    from core.llm.connection import watched_connection as watched_connection

else:
    __getattr__ = late_names(
        __package__,
        {
            "asyncio": "asyncio:*",
            "getproxies": "urllib.request",
            "install_client_rules": ".connection",
            "ipaddress": "ipaddress:*",
            "parsedate_to_datetime": "email.utils",
            "proxy_bypass": "urllib.request",
            "wait": "concurrent.futures",
            "watched_connection": ".connection",
        },
    )
