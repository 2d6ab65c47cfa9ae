"""The prompt of an edit, written and read.

`edit_prompt` turns a task into messages; `read_edit_task` is its exact inverse, for the
built-in rules engine, which takes the same path as a model. Stable parts come first
(instructions, then the file), changing ones last, so that providers can cache the head.

Each block of text stands between two fence lines of backticks, one longer than any run
of backticks inside it, so that no document can end its own block.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from redline.prompts.message import ChatMessage, Prompt
from redline.text import reply
from redline.text.reply import ReplyFormat

DECLINED = reply.DECLINED
"""How a reply starts that changes nothing and says why; the templates spell it out."""

_BEFORE = "Code before the range:"
_AFTER = "Code after the range:"
_TARGET = "Range to edit:"
_DRAFT = "Unfinished draft of the range, from an instruction that was replaced:"
_EARLIER = "Earlier instruction, which the one below corrects or goes on from:"
_INSTRUCTION = "Instruction:"
_STEER = (
    "The instruction has changed. Reply again, from the first line of the range to its "
    "last, in the same format."
)
_HEAD = re.compile(
    r"File: (?P<path>.*)\nLanguage: (?P<language>.*)\nShown: (?P<shown>.*)\n"
)
_WHOLE = "the whole file"
_PART = "a part of the file"
_BLOCK = re.compile(r"^(?P<title>[^\n]+:)\n(?P<fence>`{3,})\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditTask:
    """One instruction on one range. All text has LF line ends."""

    instruction: str
    path: str
    """Relative to the workspace, or the bare file name; never absolute."""
    language: str
    """The LSP language id."""
    before: str
    """Whole lines before the range, perhaps only the nearest."""
    target: str
    """The range's own lines; empty for an insertion."""
    after: str
    draft: str | None = None
    """What an earlier generation of the same session had written when it was
    redirected."""
    earlier: str | None = None
    """The instruction that was redirected, where there was one."""
    reply_format: ReplyFormat = "rewrite"
    is_whole_file: bool = True
    """Whether `before`, `target` and `after` are together the whole file."""


def edit_prompt(task: EditTask) -> Prompt:
    """Write the messages of an edit."""
    head = [
        f"File: {_on_one_line(task.path)}",
        f"Language: {_on_one_line(task.language)}",
        f"Shown: {_WHOLE if task.is_whole_file else _PART}",
    ]
    blocks = [
        "\n".join(head) + "\n",
        _block(_BEFORE, task.before),
        _block(_AFTER, task.after),
        _block(_TARGET, task.target),
    ]
    if task.draft is not None:
        blocks.append(_block(_DRAFT, task.draft))
    if task.earlier is not None:
        blocks.append(_block(_EARLIER, task.earlier))
    blocks.append(_block(_INSTRUCTION, task.instruction))
    chat_message = ChatMessage(role="user", text="\n".join(blocks))
    return Prompt(
        instructions=_template(task.reply_format), chat_messages=(chat_message,)
    )


def steer_text(instruction: str) -> str:
    """Write what a model that is writing an edit is told when it is steered."""
    return f"{_STEER}\n\n{_block(_INSTRUCTION, instruction)}"


def read_edit_task(prompt: Prompt) -> EditTask | None:
    """Read a task back from its prompt; None if it is not an edit prompt.

    In a conversation the last edit counts, under the last instruction it was given.
    """
    task: EditTask | None = None
    for chat_message in prompt.chat_messages:
        if chat_message.role != "user":
            continue
        if (found := _read_task(chat_message.text, prompt.instructions)) is not None:
            task = found
        elif task is not None and chat_message.text.startswith(_STEER):
            blocks = _read_blocks(chat_message.text)
            task = replace(task, instruction=blocks.get(_INSTRUCTION, task.instruction))
        else:
            task = None
    return task


def _read_task(text: str, instructions: str) -> EditTask | None:
    head = _HEAD.match(text)
    if head is None:
        return None
    blocks = _read_blocks(text[head.end() :])
    if not {_BEFORE, _AFTER, _TARGET, _INSTRUCTION} <= set(blocks):
        return None
    return EditTask(
        instruction=blocks[_INSTRUCTION],
        path=_read_line(head["path"]),
        language=_read_line(head["language"]),
        before=blocks[_BEFORE],
        target=blocks[_TARGET],
        after=blocks[_AFTER],
        draft=blocks.get(_DRAFT),
        earlier=blocks.get(_EARLIER),
        reply_format=(
            "search-replace"
            if instructions == _template("search-replace")
            else "rewrite"
        ),
        is_whole_file=head["shown"] == _WHOLE,
    )


@cache
def _template(reply_format: ReplyFormat) -> str:
    folder = files("redline.prompts") / "templates"
    common = (folder / "edit.md").read_text(encoding="utf-8")
    return common + (folder / f"edit-{reply_format}.md").read_text(encoding="utf-8")


def _on_one_line(value: str) -> str:
    # File names may hold anything but a slash, line feeds included.
    is_plain = value.isprintable() and not value.startswith('"')
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _read_line(line: str) -> str:
    if not line.startswith('"'):
        return line
    try:
        return str(json.loads(line))
    except ValueError:
        return line  # Not a prompt of ours; there is no better reading of it.


def _block(title: str, text: str) -> str:
    # The search takes 0.9 ms in 128 kB without any, the look before it 0.01 ms.
    runs = re.findall(r"`{3,}", text) if "```" in text else []
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return f"{title}\n{fence}\n{text}\n{fence}\n"


def _read_blocks(text: str) -> dict[str, str]:
    blocks: dict[str, str] = {}
    at = 0
    while found := _BLOCK.search(text, at):
        closing = f"\n{found['fence']}\n"
        end = text.find(closing, found.end())
        if end < 0:
            break
        blocks[found["title"]] = text[found.end() : end]
        at = end + len(closing)
    return blocks
