"""Transfers between accounts."""

from __future__ import annotations

from threading import Lock


class Account:
    """An account with its own lock."""

    def __init__(self, balance: int) -> None:
        self.balance = balance
        self.lock = Lock()


def transfer(source: Account, target: Account, amount: int) -> None:
    """Move an amount; both accounts are locked meanwhile."""
    with source.lock:
        with target.lock:
            if source.balance < amount:
                raise ValueError("not enough money")
            source.balance -= amount
            target.balance += amount
