"""Transfers between accounts, in one order of locks."""

from __future__ import annotations

from threading import Lock


class Account:
    """An account with its own lock."""

    def __init__(self, number: int, balance: int) -> None:
        self.number = number
        self.balance = balance
        self.lock = Lock()


def transfer(source: Account, target: Account, amount: int) -> None:
    """Move an amount; the lower number is locked first."""
    if source is target:
        return
    first, second = sorted((source, target), key=lambda one: one.number)
    with first.lock, second.lock:
        if source.balance < amount:
            raise ValueError("not enough money")
        source.balance -= amount
        target.balance += amount
