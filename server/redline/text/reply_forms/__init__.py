"""The forms in which models return a range, other than its plain text.

`envelope` works while the reply arrives; everything else reads the whole reply, as
`restore` puts it together. What cannot be decided is a fault, never a guess.
"""
