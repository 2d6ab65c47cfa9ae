"""What a debug hides though the output does not show that it is a secret."""

from __future__ import annotations

import os
from pathlib import Path

from redline.assist.plan.debug.known_secrets import known_secrets

TOKEN = "ghp_k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"


def test_settings_and_environment(tmp_path: Path) -> None:
    """Of the folder, of those in it and of the failure's files; ignored or not."""
    for name, text in {
        ".gitignore": ".env\n",
        ".env": "DB_PASSWORD=correcthorse\nDEBUG=1\n",
        "config/app.yaml": "password: battery-staple\nport: 8080\n",
        "src/shop/settings.ini": "[a]\nsecret = shop-staple-one\n",
        "appsettings.json": '{"Password": "json-staple-two"}',
        "src/shop/cart.py": "password = 'not-in-settings'\n",
        "src/other/settings.ini": "[a]\nsecret = far-away-horse\n",
        ".hidden/a.yaml": "password: hidden-folder-horse\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    environ = {
        "GITHUB_TOKEN": TOKEN,
        "PATH": "/usr/bin",
        "API_KEY_FILE": "x",
        "APP_SECRET": "1",
        "SSH_AUTH_KEY": "/home/me/key",
    }
    assert set(known_secrets(tmp_path, ["src/shop/cart.py"], environ)) == {
        "correcthorse",
        "battery-staple",
        "shop-staple-one",
        "json-staple-two",
        TOKEN,
    }


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A pipe, a link out of the folder, a large file, and a folder that is gone."""
    os.mkfifo(tmp_path / "a.ini")
    outside = tmp_path.parent / "outside.ini"
    outside.write_text("password = correct-horse\n")
    (tmp_path / "b.ini").symlink_to(outside)
    (tmp_path / "c.ini").write_text("password = correct-horse\n" * 10_000)
    assert known_secrets(tmp_path, ["gone/a.py"], {}) == []
