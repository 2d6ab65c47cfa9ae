"""The indexer's process from inside: `python -m` this module.

It reads messages from standard input and writes its own to standard output, and ends
when the input does: it cannot outlive the server. A file that takes too long or too
much memory ends it, too; the server starts another one that skips the file.
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
from redline.process_limits import limit_memory, limited_time, restart_time
from redline.prompts.tokens import ExactCount

_NICENESS = 10
"""The developer's own programs go first."""


def main() -> None:
    """Serve one server until it ends."""
    limit_memory()
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
        # Each file is announced before it is read.
        restart_time()
        output.write(encode(message))
        output.flush()

    indexer = Indexer(tell, load_count=_load_count)
    # The server may end before everything is sent.
    with contextlib.suppress(BrokenPipeError):
        while True:
            try:
                message = messages.get(timeout=indexer.wait_s)
            except Empty:
                with limited_time():
                    indexer.step()
            else:
                with limited_time():
                    indexer.take(message)


def _listen(source: BinaryIO, messages: SimpleQueue[ToIndexer]) -> None:
    decoder = msgspec.msgpack.Decoder(ToIndexer)
    while len(head := source.read(HEAD.size)) == HEAD.size:
        messages.put(decoder.decode(source.read(*HEAD.unpack(head))))
    # The end of input ends the process, whatever is running.
    os._exit(0)


def _load_count() -> ExactCount:
    from redline.prompts.encoding import load_counter

    return load_counter()


if __name__ == "__main__":
    main()
