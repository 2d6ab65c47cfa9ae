"""The modules of the standard library in any version a workspace may use."""

from __future__ import annotations

import sys

_OTHER_VERSIONS = (
    # Removed in 3.9 to 3.12, and in 3.13 by PEP 594.
    "asynchat asyncore binhex distutils dummy_threading formatter imp macpath parser "
    "smtpd symbol aifc audioop cgi cgitb chunk crypt imghdr mailcap msilib nis nntplib "
    "ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib lib2to3 "
    # Added in 3.11 and later.
    "tomllib annotationlib compression "
    # In no list, but importable: PyPy's own, and one for type checkers only.
    "__main__ __pypy__ _typeshed"
)

TOP_LEVEL = frozenset(sys.stdlib_module_names) | frozenset(_OTHER_VERSIONS.split())

OFTEN_INCOMPLETE = frozenset(
    ("distutils", "ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo")
)
"""Packages that Linux distributions ship separately or in part: a submodule that is not
in their folder may still exist."""
