"""Inline completion without I/O: when to complete, what a reply means, what is shown.

The modules are the steps in their order: `gate` decides whether a key may lead to a
completion; `decode`, `indent` and `stop` read a model's reply line by line; `rest`,
`balance` and `drop` fit it to the cursor; `present` chooses what is shown; `flights`
holds the replies of a document while the user types.

Texts here have LF line ends, lines have none, and columns are code points.
"""
