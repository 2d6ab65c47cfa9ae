"""Two ends of a slow line, as network namespaces of this machine.

Run as a process of its own, inside a fresh user and network namespace:

    unshare --user --map-root-user --net python namespaces.py DELAY_S

If the kernel has netem, both ends are this one namespace, whose loopback device delays
packets. Otherwise there are two namespaces, each with a TUN device, and this process
forwards every packet after the delay: TCP is the kernel's own on both sides, with its
real windows, acknowledgements and retransmission timers, which a relay of byte streams
would not show.

Prints one line of JSON that says how to enter the ends, and runs until standard input
ends; the namespaces end with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import select
import struct
import subprocess
import sys
import time
from collections import deque

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
"""linux/if_tun.h and linux/sched.h."""

_MTU = 1_500
_MAX_PACKET_BYTES = 2_048
_CLIENT, _SERVER = "10.77.0.1", "10.77.0.2"
_CONGESTION = "/proc/sys/net/ipv4/tcp_congestion_control"


def main(delay_s: float) -> None:
    """Serve one line until standard input ends."""
    _ip("link", "set", "lo", "up")
    congestion = _usual_congestion_control()
    if _has_netem(delay_s):
        _announce("netem", "/proc/{}/ns/net", "127.0.0.1", congestion)
        sys.stdin.read()
        return
    client = _tun("near", _CLIENT, _SERVER)
    client_namespace = os.open("/proc/self/ns/net", os.O_RDONLY)
    _leave_namespace()
    _ip("link", "set", "lo", "up")
    _usual_congestion_control()
    server = _tun("far", _SERVER, _CLIENT)
    _announce("tun", f"/proc/{{}}/fd/{client_namespace}", _SERVER, congestion)
    _carry(client, server, delay_s)


def _announce(kind: str, client_net: str, host: str, congestion: str) -> None:
    pid = os.getpid()
    ends = {
        "kind": kind,
        "client_net": client_net.format(pid),
        "server_net": f"/proc/{pid}/ns/net",
        "user": f"/proc/{pid}/ns/user",
        "host": host,
        "congestion": congestion,
    }
    sys.stdout.write(json.dumps(ends) + "\n")
    sys.stdout.flush()


def _usual_congestion_control() -> str:
    """Choose one that forgets its window in a pause, as Linux's default does.

    Some machines use another one, such as bbr, with which the pauses cost nothing.

    Returns:
        The congestion control in use, even if it could not be changed.
    """
    for name in ("cubic", "reno"):
        try:
            with open(_CONGESTION, "w", encoding="ascii") as setting:
                setting.write(name)
            break
        except OSError:
            continue  # Not one that a namespace of ours may choose.
    with open(_CONGESTION, encoding="ascii") as setting:
        return setting.read().strip()


def _has_netem(delay_s: float) -> bool:
    # Packets of the usual size, since windows are counted in packets.
    _ip("link", "set", "lo", "mtu", str(_MTU))
    delay = f"{delay_s * 1000:g}ms"
    words = ("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", delay)
    try:
        done = subprocess.run(
            [*words, "limit", "100000"], stderr=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


def _tun(name: str, ours: str, theirs: str) -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH", name.encode(), _IFF_TUN | _IFF_NO_PI)
    fcntl.ioctl(device, _TUNSETIFF, request)
    _ip("address", "add", ours, "peer", theirs, "dev", name)
    _ip("link", "set", name, "mtu", str(_MTU), "txqueuelen", "10000", "up")
    return device


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _leave_namespace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _carry(client: int, server: int, delay_s: float) -> None:
    """Forward packets both ways; each leaves `delay_s` after it arrived."""
    waiting: deque[tuple[float, int, bytes]] = deque()
    other = {client: server, server: client}
    while True:
        pause_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        ready, _, _ = select.select([client, server, 0], [], [], pause_s)
        if 0 in ready:
            return
        now = time.monotonic()
        for device in ready:
            for packet in _packets(device):
                waiting.append((now + delay_s, other[device], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, device, packet = waiting.popleft()
            os.write(device, packet)


def _packets(device: int) -> list[bytes]:
    packets = []
    try:
        while True:
            packets.append(os.read(device, _MAX_PACKET_BYTES))
    except BlockingIOError:
        return packets


if __name__ == "__main__":
    try:
        main(float(sys.argv[1]))
    except (OSError, subprocess.CalledProcessError) as _error:
        sys.stdout.write(json.dumps({"problem": str(_error)}) + "\n")
