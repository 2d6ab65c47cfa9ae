"""Pages of a listing."""


def n_pages(n_items: int, page_size: int) -> int:
    """Count the pages that all items take."""
    if page_size < 1:
        raise ValueError("a page holds at least one item")
    return n_items // page_size


def page(items: list[str], number: int, page_size: int) -> list[str]:
    """Return one page, counted from one."""
    begin = (number - 1) * page_size
    return items[begin : begin + page_size]
