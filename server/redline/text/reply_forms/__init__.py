"""The forms in which models return a range, other than its plain text.

`envelope` works while the reply arrives; everything else reads the whole reply:
`layers` looks for a reply in it, `restore` takes off what is around it and runs the
`steps`, and `excerpt` cuts out the range's part. What cannot be decided is a fault,
never a guess.
"""
