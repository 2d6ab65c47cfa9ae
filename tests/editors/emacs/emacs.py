"""Emacs in a terminal, with Eglot."""

from __future__ import annotations

import json
from pathlib import Path

from tests.editors.scene import Scene
from tests.editors.terminal import ENTER, Terminal, start

LIBRARY = Path(__file__).parents[3] / "editors" / "emacs"

CONTROL_A, CONTROL_C, CONTROL_D, CONTROL_E = "\x01", "\x03", "\x04", "\x05"
CONTROL_K, CONTROL_N, CONTROL_Y, UNDO = "\x0b", "\x0e", "\x19", "\x1f"

INIT = """\
(setq user-emacs-directory "{home}/emacs.d/"
      make-backup-files nil auto-save-default nil create-lockfiles nil
      inhibit-startup-screen t native-comp-jit-compilation nil
      ;; What Emacs suggests after M-x takes messages of the next two seconds away.
      suggest-key-bindings nil extended-command-suggest-shorter nil)
(add-to-list 'load-path "{library}")
(require 'redline)
(setq redline-program '({command}))
(redline-setup 'python-mode)
(setq eglot-autoreconnect t)
(add-hook 'python-mode-hook #'eglot-ensure)
(global-set-key (kbd "C-c a") #'eglot-code-actions)
(global-set-key (kbd "C-c e") #'redline-edit)
(global-set-key (kbd "C-c r") #'redline-redirect)
(global-set-key (kbd "C-c s") #'redline-stop)
(global-set-key (kbd "C-c v") #'redline-review)
(global-set-key (kbd "C-c f") #'redline-fix)
(global-set-key (kbd "C-c d") #'redline-dismiss)
(global-set-key (kbd "C-c o") #'redline-report)
(global-set-key (kbd "C-c k") #'redline-cancel-review)
(global-set-key (kbd "C-c l") #'flymake-show-buffer-diagnostics)
(defvar n-written 0)
(defun write-it ()
  (interactive)
  (write-region nil nil "{saved}.part" nil 'quiet)
  (rename-file "{saved}.part" (format "{saved}-%d" (setq n-written (1+ n-written)))))
(global-set-key (kbd "C-c w") #'write-it)
(global-set-key (kbd "C-c q") #'kill-emacs)
"""


class Emacs:
    """A running Emacs."""

    def __init__(self, terminal: Terminal, saved: Path) -> None:
        self.terminal = terminal
        self._saved = saved
        self._n_written = 0
        self._has_ended = False

    async def go(self, line: int) -> None:
        """Put point at the start of a line."""
        self.terminal.type(f"\x1bgg{line}{ENTER}")
        await self.terminal.shows(rf"L{line}\b")

    async def choose(self, line: int, title: str) -> None:
        """Choose a code action at a line."""
        await self.go(line)
        self.terminal.type(f"{CONTROL_C}a")
        await self.terminal.shows("Pick an action")
        self.terminal.type(f"{title}{ENTER}")

    async def edit(self, line: int, n_lines: int, instruction: str) -> None:
        """Ask for an edit of some lines."""
        await self.go(line)
        self.terminal.type(f"\x00\x1b{n_lines}\x0e{CONTROL_C}e")
        await self.terminal.shows("^Edit:")
        self.terminal.type(f"{instruction}{ENTER}")

    async def accept(self) -> None:
        """Accept the edit that is offered."""
        await self.terminal.shows("C-c C-a to accept, C-c C-k to reject")
        self.terminal.type(f"{CONTROL_C}{CONTROL_A}")
        await self.terminal.shows("Edit successful")
        await self.terminal.hides(r"\(Python Edit")

    async def has(self, text: str) -> None:
        """Check the buffer's text."""
        self._n_written += 1
        self.terminal.type(f"{CONTROL_C}w")
        # A message would not do: that of a command's answer may take its place at once.
        written = self._saved.with_name(f"{self._saved.name}-{self._n_written}")
        await self.terminal.comes(written.exists, "the buffer is written")
        assert written.read_text() == text

    async def kill(self) -> None:
        """Kill it, and wait until it has ended."""
        self._has_ended = True
        self.terminal.process.kill()
        await self.terminal.end()

    async def close(self) -> None:
        """Quit, and wait until it has ended."""
        if not self._has_ended:
            self._has_ended = True
            self.terminal.type(f"{CONTROL_C}q")
            await self.terminal.end()


async def open_emacs(program: Path, scene: Scene) -> Emacs:
    """Start Emacs on the scene's file, set up as the how-to says."""
    saved = scene.home / "saved"
    for earlier in scene.home.glob("saved-*"):
        earlier.unlink()
    init = scene.home / "init.el"
    init.write_text(
        INIT.format(
            home=scene.home,
            library=LIBRARY,
            command=" ".join(json.dumps(word) for word in scene.command),
            saved=saved,
        )
    )
    terminal = await start(
        [program, "-nw", "-Q", "-l", init, scene.file],
        folder=scene.project,
        environment=scene.environment,
    )
    await terminal.shows(r"\[eglot:")
    return Emacs(terminal, saved)
