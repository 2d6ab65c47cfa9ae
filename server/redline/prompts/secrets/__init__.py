"""Finds what is secret in a text.

`search` puts together what the others find: in one `line` by formats, names, arguments
and commands; in `pairs` of lines, `statements`, tables, YAML, private keys and joined
strings. `cuts` cuts a text and leaves no half of a secret; `index` knows the ones that
were found. Nothing here changes a text: `prompts.redaction` does.
"""
