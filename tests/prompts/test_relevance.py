"""Open files are ranked by the names they share with the range."""

from __future__ import annotations

from redline.prompts.relevance import names_in, rank_files

FILES = {
    "users.py": "class UserStore:\n    def load_user(self): return self.rows\n",
    "dates.py": "def parse_date(text): return text\n",
    "app.py": "store = UserStore()\nstore.load_user()\nreturn_code = 1\n",
    "empty.py": "x = 1\n",
}


def test_the_closest_file_comes_first() -> None:
    """It is the one that shares the rarest names."""
    items = rank_files("user = UserStore().load_user()\nself.rows = 3", FILES)
    assert [item.source for item in items] == ["users.py", "app.py"]
    assert items[0].relevance > items[1].relevance > 0
    assert items[0].text == FILES["users.py"]


def test_names_that_all_files_have_count_little() -> None:
    """One rare name says more than the keywords of the language."""
    files = {
        "a.py": "return self import while",
        "b.py": "return self import while",
        "c.py": "return self import while",
        "d.py": "frobnicate return",
    }
    items = rank_files("return self import frobnicate", files)
    assert items[0].source == "d.py"


def test_files_with_nothing_in_common_are_left_out() -> None:
    """Nothing is better than something unrelated."""
    assert rank_files("zzz_unknown()", FILES) == []
    assert rank_files("anything", {}) == []


def test_names_are_words_of_three_letters_or_more() -> None:
    """Numbers and loop variables relate everything to everything."""
    assert names_in("for i in range(100): été = load_2(xy)") == {
        "for",
        "range",
        "été",
        "load_2",
    }
