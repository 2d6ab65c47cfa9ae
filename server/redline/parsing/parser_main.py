"""The parser process from inside: `python -m` this module.

It calls one function after the other and ends when its input does. A call that takes
too long or too much memory ends it, so it cannot outlive its parent for long.
"""

from __future__ import annotations

import contextlib
import os
import sys

import msgspec

from redline.bare_traceback import bare_traceback
from redline.parsing.messages import Done, Order, Raised, read_message, write_message
from redline.parsing.work import argument_type, load
from redline.process_limits import limit_memory, limited_time


def main() -> None:
    """Serve one parent until it ends."""
    limit_memory()
    # Other output of this process must not get between messages.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    decoder = msgspec.msgpack.Decoder(Order)
    # The parent may end before the answer is written.
    with contextlib.suppress(BrokenPipeError):
        while (body := read_message(sys.stdin.buffer)) is not None:
            order = decoder.decode(body)
            with limited_time(order.limit_s):
                answer = _answer(order)
            write_message(output, answer)


def _answer(order: Order) -> Done | Raised:
    try:
        function = load(order.function)
        if isinstance(order.argument, msgspec.UnsetType):
            return Done()
        argument = msgspec.msgpack.decode(order.argument, type=argument_type(function))
        return Done(result=msgspec.Raw(msgspec.msgpack.encode(function(argument))))
    except MemoryError:
        # What is left of the memory may be too little for anything else.
        os._exit(2)
    except Exception as error:  # noqa: BLE001  # Logged where the result is awaited.
        return Raised(traceback=bare_traceback(error))


if __name__ == "__main__":
    main()
