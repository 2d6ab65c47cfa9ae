"""What things cost."""

_PRICES = {"pen": 1.5, "cup": 4.0}


def list_price(item):
    return _PRICES[item]


def price_of(item, count=1):
    return count * list_price(item)
