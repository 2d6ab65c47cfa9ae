"""Keeps full garbage collections short.

A full collection goes through all objects of the process and blocks the event loop
meanwhile: 20 to 50 ms for what a server has once it has loaded its modules. These stay,
so they can be left out.
"""

from __future__ import annotations

import gc


def leave_out_loaded() -> None:
    """Leave all objects that exist now out of garbage collection.

    Call it when much has been loaded and little else exists: of what is left out, only
    reference cycles are never freed.
    """
    gc.freeze()
