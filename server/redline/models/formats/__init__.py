"""The wire formats of providers over HTTP, without I/O.

`wire_format` is the interface of each, and `wire_formats` the table of all: a further
one is a module and an entry there.
"""
