"""A window of VS Code: keys and clicks go in, and what is on the screen is read.

Everything waits for what the page shows, never for a clock.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from playwright.async_api import Locator, Page, TimeoutError, expect

WAIT_MS = 120_000
"""Longest wait for something that must come: a bound, never a measure."""

START_MS = 300_000
"""The same for a window, which loads most of VS Code."""

_EXTENSIONS_MS = 100_000
"""How long to wait for the folder and the extension: VS Code itself waits a minute for
the process of its extensions, and goes on without what is late."""

_TREE = ".explorer-folders-view .monaco-list-row"

_TRIES_MS = (5_000, 10_000, 20_000, 40_000, 60_000)
"""How long to wait before each further try of what VS Code sometimes ignores. The waits
grow: on a busy machine a second try would cancel the first."""

_LINES = """() => [...document.querySelectorAll('.editor-instance .view-line')]
  .sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top))
  .map((line) => line.innerText.replaceAll('\\u00a0', ' ').trimEnd())"""

_PAINTED = """() => [...document.querySelectorAll('.view-line span')]
  .map((span) => [span, getComputedStyle(span, '::after')])
  .filter(([, style]) => !['none', 'normal', ''].includes(style.content))
  .map(([span, style]) => [span.getBoundingClientRect().top, style.content])
  .sort((a, b) => a[0] - b[0])
  .map(([, content]) => JSON.parse(content).replaceAll('\\u00a0', ' '))"""

_OUT_OF_SIGHT = """() => [...document.querySelectorAll('.view-line span')]
  .filter((span) => !['none', 'normal', ''].includes(
    getComputedStyle(span, '::after').content))
  .filter((span) => span.getBoundingClientRect().right >
    span.closest('.editor-scrollable').getBoundingClientRect().right)
  .map((span) => getComputedStyle(span, '::after').content)"""
"""What is painted and reaches over the right edge of its editor."""

_SUGGESTED = """() => [
    ...document.querySelectorAll('.view-line .ghost-text-decoration')]
  .map((each) => each.textContent.replaceAll('\\u00a0', ' ')).join('')"""

_MARKED = """() => [...document.querySelectorAll('.view-overlays .cdr')]
  .filter((each) => /ced-.*-\\d/.test(each.className) && each.style.left === '0px'
    && getComputedStyle(each).borderTopStyle === 'none')"""
"""Of the extension's marks of lines, only that of a new line has no border. Its
background is transparent in a theme of high contrast."""

_OFFERED = re.compile(r"^\W*(Held: .*)?\d+ changes?")


class Window:
    """One window, with a folder open in it."""

    def __init__(self, page: Page, address: str, pictures: Path) -> None:
        self.page = page
        page.set_default_timeout(WAIT_MS)
        self._address = address
        self._pictures = pictures

    async def open(self, folder: Path, file: Path | None = None) -> None:
        """Open a folder or the file of a workspace, and a file of it."""
        kind = "workspace" if folder.suffix == ".code-workspace" else "folder"
        url = f"http://{self._address}/?{kind}={quote(str(folder))}"
        if file is not None:
            opened = [["openFile", f"vscode-remote://{self._address}{file}"]]
            url += f"&payload={quote(json.dumps(opened))}"
        await self.page.goto(url)
        await self._start()
        if file is not None:
            await self.page.locator(".editor-instance .view-line").first.wait_for()

    async def _start(self) -> None:
        for is_last in (False, False, True):
            await self.page.locator(".monaco-workbench").wait_for(timeout=START_MS)
            try:
                await self.page.locator(_TREE).first.wait_for(timeout=_EXTENSIONS_MS)
                return await self.status().wait_for(timeout=_EXTENSIONS_MS)
            except TimeoutError:
                if is_last:
                    raise
            await self.page.reload()

    async def ready(self) -> None:
        """Wait until the server runs and knows its model."""
        await self.status("scripted").wait_for(timeout=START_MS)

    # What goes in.

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def type(self, text: str) -> None:
        """Type into what has the focus."""
        await self.page.keyboard.type(text)

    async def reload(self) -> None:
        """Reload in order, and wait for the server of the new page."""
        async with self.page.expect_event("load", timeout=START_MS):
            await self.command("Developer: Reload Window")
        await self._start()
        await self.ready()

    async def focus(self) -> None:
        """Give the file the focus."""
        await self.page.locator(".editor-instance .view-lines").first.click()

    async def focused(self) -> None:
        """Wait until a file receives the keys."""
        await self.page.locator(".editor-instance .monaco-editor.focused").wait_for()

    async def select(self, first: int, last: int) -> None:
        """Select lines, counted from 1, both included."""
        await self.go_to(first)
        await self.press("Home", *["Shift+ArrowDown"] * (last - first + 1))

    async def go_to(self, line: int) -> None:
        """Go to a line, counted from 1."""
        await self.press("Control+g")
        await self._in_box().wait_for()
        await self.type(str(line))
        await self.press("Enter")
        await self.box().wait_for(state="hidden")
        await self.focused()

    async def code_action(self, title: str) -> None:
        """Choose an action of the light bulb's menu."""
        entry = self.page.locator(".action-widget .monaco-list-row", has_text=title)
        # A menu that is asked for while another answer is under way stays away.
        await self._until_there(entry.first, lambda: self.press("Control+."))
        await self.picture(f"action-{'-'.join(title.lower().split())}")
        # A fresh menu ignores clicks until the mouse has moved.
        await entry.first.hover()
        await entry.first.hover(position={"x": 30, "y": 8})
        await entry.first.click()
        # It is gone once it has taken the click, before what it leads to is waited for.
        await entry.first.wait_for(state="hidden")

    async def code_actions(self) -> list[str]:
        """The titles in the light bulb's menu, which is closed again."""
        entries = self.page.locator(".action-widget .monaco-list-row.action")
        await self._until_there(entries.first, lambda: self.press("Control+."))
        titles = await entries.all_inner_texts()
        await self.picture("actions")
        await self.press("Escape")
        await entries.first.wait_for(state="hidden")
        return titles

    async def accept(self) -> None:
        """Accept all changes of the edit at the cursor."""
        await self.focused()
        await self.press("Alt+Enter")

    async def reject(self) -> None:
        """Reject the edit at the cursor, or stop it."""
        await self.focused()
        await self.press("Escape")

    async def instruct(self, instruction: str) -> None:
        """Ask for an edit of the selection."""
        await self.ask()
        await self.type(instruction)
        await self.press("Enter")
        # Until then it takes the keys.
        await self.box("Redline").wait_for(state="hidden")

    async def ask(self, title: str = "Redline") -> None:
        """Open the box for an instruction."""

        # While a server takes the place of another the key does nothing, or it opens a
        # box that the server does not know the offer for yet.
        async def open_box() -> None:
            if await self._in_box().is_visible():
                await self.leave_box()
            await self.press("Control+'")

        await self._until_there(self._in_box(title), open_box)

    async def leave_box(self) -> None:
        """Close the box at the top; another Escape would be for what is offered."""
        await self.press("Escape")
        await self.box().wait_for(state="hidden")

    async def tooltip(self, item: Locator, text: str) -> None:
        """Show what VS Code says about an item, until it has a text."""
        hover = self.page.locator(".monaco-hover", has_text=text)

        async def point() -> None:
            # It is shown once for each time that the mouse comes.
            await self.page.mouse.move(0, 0)
            await item.hover()

        await self._until_there(hover.first, point)

    async def command(self, name: str) -> None:
        """Run a command by its name."""

        async def list_commands() -> None:
            # The list has what can be done as it opens: another try needs another list.
            if await self.box().is_visible():
                await self.leave_box()
            await self.press("F1")
            await self.box().locator("input").fill(f">{name}")

        await self._until_there(self._chosen(name), list_commands)
        await self.press("Enter")

    async def pick(self, typed: str, name: str) -> None:
        """Choose the entry of a name from the box at the top."""
        await self.box().locator("input").fill(typed)
        await self._chosen(name).wait_for()
        await self.press("Enter")

    def _chosen(self, name: str) -> Locator:
        # The first entries are those before the text is looked for.
        entry = self.box().locator(".monaco-list-row.focused")
        return entry.get_by_text(name, exact=True).first

    async def open_file(self, file: Path) -> None:
        """Open a file, or go to it if it is open."""
        await self.press("Control+p")
        await self.pick(str(file), file.name)
        await self.page.locator(f'.tab[data-resource-name="{file.name}"]').wait_for()
        await self.page.locator(".editor-instance .view-line").first.wait_for()
        await self.focus()

    async def clear(self) -> None:
        """Close all files, with what is offered in them, and all messages."""
        await self.command("View: Close All Editors")
        empty = self.page.locator(".editor-group-container.empty").first
        leave = self.page.get_by_role("button", name="Don't Save")
        await empty.or_(leave).first.wait_for()
        if await leave.is_visible():
            await leave.click()
            await empty.wait_for()
        await self.offer().wait_for(state="hidden")
        toasts = self.page.locator(".notification-toast")
        if await toasts.count():
            await self.command("Notifications: Clear All Notifications")
            await toasts.first.wait_for(state="detached")

    async def close(self) -> None:
        """Close it, whatever is not saved."""
        await self.page.close(run_before_unload=False)
        await self.page.context.close()

    async def _until_there(
        self, wanted: Locator, act: Callable[[], Awaitable[None]]
    ) -> None:
        """Do something again until something is on the screen."""
        for wait_ms in _TRIES_MS:
            await act()
            with contextlib.suppress(TimeoutError):
                await wanted.wait_for(timeout=wait_ms)
                return
        await wanted.wait_for()

    def _in_box(self, title: str = "") -> Locator:
        """The line of the box at the top, once it receives the keys."""
        return self.box(title).locator("input:focus")

    # What is on the screen.

    def box(self, title: str = "") -> Locator:
        """The box at the top, with a title."""
        return self.page.locator(".quick-input-widget", has_text=title)

    def lens(self, text: str) -> Locator:
        """A code lens."""
        return self.page.locator(
            ".codelens-decoration a, .codelens-decoration span", has_text=text
        ).first

    def offer(self, text: str | re.Pattern[str] = _OFFERED) -> Locator:
        """The item in the status bar that says where an edit stands."""
        item = self.page.locator('[id="redline-ls.redline.redline.offer"]')
        return item.filter(has_text=text)

    def message(self, text: str) -> Locator:
        """A message in the corner."""
        return self.page.locator(".notification-toast", has_text=text)

    def dialog(self, text: str) -> Locator:
        """A message in the middle, which has to be answered."""
        return self.page.locator(".monaco-dialog-box", has_text=text)

    def failure(self, text: str) -> Locator:
        """A message in the corner about something that failed."""
        errors = self.page.locator(".notification-toast:has(.codicon-error)")
        return errors.filter(has_text=text)

    def tab(self, name: str) -> Locator:
        """The tab of a file or page."""
        return self.page.locator(".tab", has_text=name)

    async def tab_names(self) -> list[str]:
        """What the tabs are called, in order."""
        names = await self.page.locator(".tab .tab-label").all_inner_texts()
        # The ending of a file's name is an element of its own.
        return ["".join(name.split("\n")) for name in names]

    def step(self, name: str, *, is_done: bool) -> Locator:
        """The mark of a walkthrough's step, by the step's id."""
        which = ".complete" if is_done else ":not(.complete)"
        return self.page.locator(f'[data-done-step-id$="#{name}"]{which}').first

    def progress(self, text: str) -> Locator:
        """What goes on, in the status bar."""
        return self.page.locator('[id="status.progress"]', has_text=text)

    def status(self, text: str = "") -> Locator:
        """Redline's item in the status bar."""
        return self.page.locator(
            '[id="redline-ls.redline.redline.status"]', has_text=text
        )

    async def layout(self, name: str) -> None:
        """Wait until VS Code takes the keyboard for one of a layout."""
        await self.page.get_by_text(f"Layout: {name}", exact=True).wait_for()

    async def has_value(self, line: Locator, text: str) -> None:
        """Wait until an input has a text."""
        await expect(line).to_have_value(text, timeout=WAIT_MS)

    async def lines(self) -> list[str]:
        """The lines of the file that are shown, without what is painted."""
        found: list[str] = await self.page.evaluate(_LINES)
        return found

    async def shows(self, text: str) -> None:
        """Wait until the file is a text, which fits on the screen."""
        await self._becomes(_LINES, [line.rstrip() for line in text.split("\n")])

    async def shows_line(self, part: str) -> None:
        """Wait until a line that is on the screen has a text in it."""
        await self.page.wait_for_function(
            f"(text) => ({_LINES})().some((each) => each.includes(text))", arg=part
        )

    async def goes_to_end(self, text: str) -> None:
        """Go to the end of the page until a text is there."""
        # The page may not have the focus yet, or the text may come later and be longer.
        line = self.page.locator(".editor-instance .view-line", has_text=text)
        await self._until_there(line.first, lambda: self.press("Control+End"))

    async def suggests(self, text: str) -> None:
        """Wait until a completion is shown that adds a text to the line."""
        await self._becomes(f"() => [({_SUGGESTED})()]", [text])

    async def paints(self, *texts: str) -> None:
        """Wait until exactly these are painted."""
        await self._becomes(_PAINTED, list(texts))

    async def painted_in_sight(self) -> None:
        """Wait until nothing that is painted reaches over the right edge."""
        await self._becomes(_OUT_OF_SIGHT, [])

    async def cursor_in_offer(self) -> None:
        """Wait until the cursor is in a line that is marked as new."""
        await self.page.wait_for_function(
            f"""() => ({_MARKED})().some((each) => each.parentElement.querySelector(
            '.current-line'))"""
        )

    async def marks(self, n_lines: int) -> None:
        """Wait until so many lines are marked as new."""
        await self.page.wait_for_function(
            f"(n) => ({_MARKED})().length === n", arg=n_lines
        )

    async def paints_among(self, text: str) -> None:
        """Wait until something that is painted has a text in it."""
        await self.page.wait_for_function(
            f"(text) => ({_PAINTED})().some((each) => each.includes(text))", arg=text
        )

    async def paints_no_more(self, text: str) -> None:
        """Wait until nothing that is painted has a text in it."""
        await self.page.wait_for_function(
            f"(text) => !({_PAINTED})().some((each) => each.includes(text))", arg=text
        )

    async def _becomes(self, script: str, expected: list[str]) -> None:
        as_json = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
        try:
            await self.page.wait_for_function(
                f"(text) => JSON.stringify(({script})()) === text", arg=as_json
            )
        except TimeoutError:
            found = await self.page.evaluate(script)
            raise AssertionError(f"expected {expected}, found {found}") from None

    async def picture(self, name: str) -> None:
        """Take a picture."""
        self._pictures.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(
            path=self._pictures / f"{name}.png", animations="disabled"
        )
