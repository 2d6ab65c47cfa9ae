"""Recognizes hosts that are certainly this machine.

Plain text, the gateway and the TCP mode of the server are limited to these hosts. Only
the written name counts: nothing is resolved, so a name that a resolver maps to loopback
today is not accepted.
"""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback_host(host: str) -> bool:
    """Say whether a host name or address can only be this machine.

    Args:
        host: As in a URL without its port; an IPv6 address with or without brackets.

    Returns:
        True for `localhost`, 127.0.0.0/8 in four decimal parts, and `::1`.
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
