"""The indexer's process from inside: `python -m` this module.

It reads messages from standard input and writes its own to standard output, and ends
when the input does: it cannot outlive the server.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from queue import Empty, SimpleQueue
from typing import BinaryIO

import msgspec

from redline.assist.context.indexer import Indexer
from redline.assist.context.messages import HEAD, FromIndexer, ToIndexer, encode
from redline.prompts.tokens import ExactCount

_NICENESS = 10
"""The developer's own programs go first."""


_MAX_DATA_BYTES = 1 << 30
"""Most memory of the process. An index of 23,000 files needs 140 MB; some texts of 200
kB make a parser take gigabytes within seconds."""


def main() -> None:
    """Serve one server until it ends."""
    _limit_memory()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    # Other output of this process must not get between messages.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages: SimpleQueue[ToIndexer] = SimpleQueue()
    threading.Thread(
        target=_listen, args=(sys.stdin.buffer, messages), daemon=True
    ).start()

    def tell(message: FromIndexer) -> None:
        output.write(encode(message))
        output.flush()

    indexer = Indexer(tell, load_count=_load_count)
    # The server may end before everything is sent.
    with contextlib.suppress(BrokenPipeError):
        while True:
            try:
                message = messages.get(block=not indexer.has_work)
            except Empty:
                indexer.step()
            else:
                indexer.take(message)


def _listen(source: BinaryIO, messages: SimpleQueue[ToIndexer]) -> None:
    decoder = msgspec.msgpack.Decoder(ToIndexer)
    while len(head := source.read(HEAD.size)) == HEAD.size:
        messages.put(decoder.decode(source.read(*HEAD.unpack(head))))
    # The end of input ends the process, whatever is running.
    os._exit(0)


def _limit_memory() -> None:
    try:
        # Windows has no such limits; there the server only watches the time.
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    has_limit = most != resource.RLIM_INFINITY
    limit = min(_MAX_DATA_BYTES, most) if has_limit else _MAX_DATA_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _load_count() -> ExactCount:
    from redline.prompts.encoding import load_counter

    return load_counter()


if __name__ == "__main__":
    main()
