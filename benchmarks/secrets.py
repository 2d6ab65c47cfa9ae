"""Count the secrets that are hidden before a prompt is sent, and the false alarms.

`python -m benchmarks.secrets` makes keys from the shapes in `tests/data/secrets`, which
follow what each provider documents, puts them into lines of code, and counts those of
which every character is hidden. It also counts the commands in `tests/data/secrets`
whose passwords are missed. What is hidden in Python's standard library, which has no
secrets, is counted as a false alarm. `--missed` lists what was missed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import string
import sysconfig
from collections import Counter
from pathlib import Path

from redline.prompts.secrets.search import find_secrets

SHAPES = Path(__file__).parents[1] / "tests" / "data" / "secrets" / "shapes.json"
COMMANDS = SHAPES.with_name("commands.json")
NAMED_PLACES = SHAPES.with_name("places.json")

PASSWORDS = ("hV7pQ2zXkL9wTr4nBm8s", "Tr0ub4dor-Und-Katze9")
"""One that is random, and one that a person made."""

ALPHABETS = {
    "a": string.ascii_lowercase + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "b": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "h": string.hexdigits[:16],
    "l": string.ascii_lowercase,
    "m": string.ascii_letters + string.digits,
}
"""Alphabets for the letter in a shape's `{count:letter}`."""

PLACES = {
    "named": 'API_KEY = "{key}"\n',
    "quoted": 'client = connect("{key}", 3)\n',
    "bare": "# the old one was {key} and is not used\n",
    "joined": 'client = connect("{first}" + "{last}", 3)\n',
    "2 lines": 'API_KEY = (\n    "{first}"\n    "{last}"\n)\n',
}

_N_OF_SHAPE = 5


def make_key(shape: str, random_source: random.Random) -> str:
    """Fill in a shape such as `ghp_{36:m}`."""
    return re.sub(
        r"\{(\d+):(\w)\}",
        lambda x: "".join(random_source.choices(ALPHABETS[x[2]], k=int(x[1]))),
        shape,
    )


def in_place(key: str, place: str) -> str:
    """Put a key into one of `PLACES`."""
    half = len(key) // 2
    return place.format(key=key, first=key[:half], last=key[half:])


def is_hidden(key: str, line: str) -> bool:
    """Whether neither half of a key can be read after its secrets are replaced."""
    rest = line
    for start, end in reversed(find_secrets(line, "a.py")):
        rest = rest[:start] + "\0" + rest[end:]
    body = max(re.split(r"[^\w+/=-]", key), key=len)
    return body[-len(body) // 2 :] not in rest


def count_caught(shapes: list[dict[str, str]], seed: int) -> dict[str, Counter[str]]:
    """Count the hidden keys, by place and shape."""
    source = random.Random(seed)
    caught: dict[str, Counter[str]] = {place: Counter() for place in PLACES}
    for shape in shapes:
        for _ in range(_N_OF_SHAPE):
            key = make_key(shape["shape"], source)
            for place, line in PLACES.items():
                caught[place][shape["name"]] += is_hidden(key, in_place(key, line))
    return caught


def wrong_commands() -> dict[str, list[str]]:
    """Return the commands whose secrets are not exactly those found, by kind."""
    cases = json.loads(COMMANDS.read_text())
    missed = [
        case["line"]
        for case in cases["secret"]
        if found(case["line"]) != case["hidden"]
    ]
    return {"missed": missed, "false": [x for x in cases["harmless"] if found(x)]}


def places_missed() -> list[str]:
    """Return the texts with a password beside its name in which it is not found."""
    texts = [
        (place["path"], place["text"].replace("VALUE", password), password)
        for place in json.loads(NAMED_PLACES.read_text())
        for password in PASSWORDS
    ]
    return [
        text for path, text, password in texts if not _is_gone(password, text, path)
    ]


def _is_gone(password: str, text: str, path: str) -> bool:
    for start, end in reversed(find_secrets(text, path)):
        text = text[:start] + "\0" + text[end:]
    half = len(password) // 2
    return password[:half] not in text and password[half:] not in text


def found(text: str) -> list[str]:
    """Return the secrets of a text that is no settings file."""
    return [text[start:end] for start, end in find_secrets(text, "a.py")]


def count_false_alarms(folder: Path) -> tuple[int, int]:
    """Count the lines of a folder's Python files, and the secrets found in them."""
    n_lines = n_found = 0
    for file in sorted(folder.rglob("*.py")):
        if "site-packages" in file.parts or "test" in file.parts:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        n_lines += text.count("\n")
        n_found += len(find_secrets(text, file.name))
    return n_lines, n_found


def main() -> None:
    """Print the hidden share for each place, and the false alarms."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets")
    parser.add_argument("--missed", action="store_true", help="list what was missed")
    parser.add_argument("--shapes", type=Path, default=SHAPES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shapes = json.loads(options.shapes.read_text())
    n_keys = len(shapes) * _N_OF_SHAPE
    for place, caught in count_caught(shapes, options.seed).items():
        n_caught = caught.total()
        print(f"{place:8} {n_caught} of {n_keys} keys ({n_caught / n_keys:.1%})")
        if options.missed:
            for name, n in sorted(caught.items()):
                if n < _N_OF_SHAPE:
                    print(f"         {name}: {n} of {_N_OF_SHAPE}")
    wrong = wrong_commands()
    print(f"commands {len(wrong['missed'])} missed, {len(wrong['false'])} false alarms")
    missed = places_missed()
    print(f"places   {len(missed)} missed, of passwords beside their names")
    if options.missed:
        for line in (*wrong["missed"], *missed):
            print(f"         {line}")
    n_lines, n_found = count_false_alarms(Path(sysconfig.get_paths()["stdlib"]))
    print(f"false alarms: {n_found} in {n_lines} lines of the standard library")


if __name__ == "__main__":
    main()
