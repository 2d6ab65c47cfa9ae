"""What follows from the user's last edit, by deterministic rules.

Pure: text, cursor and time are arguments. `journal` records what the user did, `rules`
finds what follows, `checks` and `memory` decide what is offered, and `chain` holds the
offers until they are accepted, rejected or contradicted.
"""
