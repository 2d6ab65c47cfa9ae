"""What a reply is compared with is read once for all forms, however long the file."""

from __future__ import annotations

from collections.abc import Iterator

from redline.text.reply_forms.restore import restore
from redline.text.reply_forms.surroundings import Surroundings


class CountedLines(list[str]):
    """Lines that count how often they are read as a whole."""

    n_times = 0

    def __iter__(self) -> Iterator[str]:
        self.n_times += 1
        return super().__iter__()

    def __reversed__(self) -> Iterator[str]:
        self.n_times += 1
        return super().__reversed__()


def test_the_file_is_read_a_few_times_for_all_forms() -> None:
    before, after = (
        CountedLines(f"    {name}_{n} = {n}\n" for n in range(40))
        for name in ("above", "below")
    )
    around = Surroundings(
        before=before, target=["    total = 1"], after=after, language="python"
    )
    restored = restore(["    total = 2"], around)
    assert restored.lines == ["    total = 2"]
    assert before.n_times + after.n_times <= 8
