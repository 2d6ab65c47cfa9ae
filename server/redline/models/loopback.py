"""Which hosts are this machine and no other.

Plain text, the gateway and the TCP mode of the server are for these hosts only. The
judgement is on the name as it is written: nothing is looked up, so a name that some
resolver maps to loopback today does not pass.
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
