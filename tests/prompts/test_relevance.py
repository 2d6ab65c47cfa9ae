"""Open files are ranked by the names they share with the range."""

from __future__ import annotations

from redline.prompts.relevance import names_in, rank

FILES = {
    "users.py": "class UserStore:\n    def load_user(self): return self.rows\n",
    "dates.py": "def parse_date(text): return text\n",
    "app.py": "store = UserStore()\nstore.load_user()\nreturn_code = 1\n",
    "empty.py": "x = 1\n",
}


def ranked(target: str, files: dict[str, str]) -> dict[str, float]:
    names = {path: names_in(text) for path, text in files.items()}
    return rank(names_in(target), names)


def test_the_closest_file_comes_first() -> None:
    """It is the one that shares the rarest names."""
    weights = ranked("user = UserStore().load_user()\nself.rows = 3", FILES)
    assert list(weights) == ["users.py", "app.py"]
    assert weights["users.py"] > weights["app.py"] > 0


def test_names_that_all_files_have_count_little() -> None:
    """One rare name says more than the keywords of the language."""
    files = {
        "a.py": "return self import while",
        "b.py": "return self import while",
        "c.py": "return self import while",
        "d.py": "frobnicate return",
    }
    assert next(iter(ranked("return self import frobnicate", files))) == "d.py"


def test_files_with_nothing_in_common_are_left_out() -> None:
    """Nothing is better than something unrelated."""
    assert ranked("zzz_unknown()", FILES) == {}
    assert ranked("anything", {}) == {}


def test_names_are_words_of_three_letters_or_more() -> None:
    """Numbers and loop variables relate everything to everything."""
    assert names_in("for i in range(100): été = load_2(xy)") == {
        "for",
        "range",
        "été",
        "load_2",
    }
