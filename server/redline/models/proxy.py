"""Which proxy a model is reached through, if any.

The setting has priority over the variables that every command-line tool reads. This
machine is never reached through a proxy. The choice is made here and not by the client
libraries: they disagree on `NO_PROXY`, and the socket and its HTTP fallback must use
the same proxy.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from redline.errors import ModelRejectedError
from redline.keys_in_use import PART_CHARS, note_key
from redline.models.loopback import is_loopback_host

SCHEMES = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"}


def choose_proxy(
    label: str,
    setting: str | None,
    host: str,
    port: int | None,
    *,
    environ: Mapping[str, str],
) -> str | None:
    """Choose the proxy for a host.

    Args:
        label: The model's name in the settings, for messages.
        setting: The model's `proxy`; None: the environment decides; empty: none.
        host: The endpoint's host, without brackets.
        port: The endpoint's port, if its address names one.
        environ: `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in lower or upper case.

    Returns:
        The proxy's address, or None to connect directly.

    Raises:
        ModelRejectedError: If the chosen address makes no sense.
    """
    if is_loopback_host(host):
        return None
    if setting is not None:
        return _checked(label, setting, f"`models.{label}.proxy`") if setting else None
    if _is_excepted(host, port, _variable(environ, "no_proxy")):
        return None
    # Plain text never leaves this machine, so HTTP_PROXY does not apply.
    for name in ("https_proxy", "all_proxy"):
        if value := _variable(environ, name):
            return _checked(label, value, f"the environment variable {name.upper()}")
    return None


def _variable(environ: Mapping[str, str], name: str) -> str:
    """Read a variable; lower case has priority, as in curl."""
    return environ.get(name) or environ.get(name.upper()) or ""


def _is_excepted(host: str, port: int | None, no_proxy: str) -> bool:
    entries = (entry.strip().lower() for entry in no_proxy.split(","))
    return any(_matches(host.lower(), port, entry) for entry in entries if entry)


def _matches(host: str, port: int | None, entry: str) -> bool:
    """Match one entry: `*`, a name with its sub-domains, an address or a network."""
    if entry == "*":
        return True
    if "/" in entry or entry.count(":") > 1:
        return _is_in_network(host, entry)
    name, _, wanted_port = entry.partition(":")
    if wanted_port and wanted_port != str(port or 443):
        return False
    name = name.removeprefix("*").removeprefix(".")
    return host == name or (bool(name) and host.endswith(f".{name}"))


def _is_in_network(host: str, entry: str) -> bool:
    try:
        network = ip_network(entry.replace("[", "").replace("]", ""), strict=False)
        return ip_address(host) in network
    except ValueError:
        return False


def _checked(label: str, proxy: str, source: str) -> str:
    """Raise if no client could use the address, without quoting its password."""
    address = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in SCHEMES and bool(parts.hostname)
        is_usable = is_usable and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ModelRejectedError(
            f"The proxy of model {label} is no address that can be used.",
            model=label,
            remedy=f"Correct {source}: it reads like `http://host:port`.",
        )
    password = unquote(parts.password or "")
    if len(password) >= PART_CHARS:
        # A proxy may repeat its password as a provider may repeat a key. A shorter one
        # may be an ordinary word.
        note_key(password)
    return address
