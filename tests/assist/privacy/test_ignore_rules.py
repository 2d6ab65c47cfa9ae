"""Files that must not be sent are held back, and only those."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from urllib.parse import quote

import pytest

from redline.assist.privacy.ignore_levels import MAX_IGNORE_BYTES
from redline.assist.privacy.ignore_rules import IgnoreRules

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")


def reason(root: Path, name: str) -> str | None:
    return IgnoreRules().reason((root / name).as_uri(), (root.as_uri(),))


@pytest.mark.parametrize(
    "name",
    [
        "home/.docker/config.json",
        ".env",
        "deploy/.env.production",
        "etc/shadow",
        "etc/gshadow-",
        "etc/ssh/ssh_host_rsa_key",
        "certs/server.pem",
        "home/.ssh/config",
        ".aws/credentials",
        "id_ed25519",
        "config/secrets.yaml",
        ".ENV",
        "ID_RSA",
        ".env~",
        "#.env#",
        ".#.env",
        ".id_rsa.swp",
        "secrets.json.orig",
        ".cargo/credentials.toml",
        ".config/gh/hosts.yml",
        "infra/terraform.tfstate.backup",
        "prod.env",
        "deploy/Staging.env~",
        "keys/server.ppk",
        "secrets.toml",
        ".streamlit/secrets.toml",
        "service_account.json",
        "client_secret_1.apps.googleusercontent.com.json",
        ".env-prod",
        ".env_local",
        "env.production",
        "infra/prod.auto.tfvars",
        "infra/terraform.tfvars.json",
        ".databrickscfg",
        "home/.dbt/profiles.yml",
        ".snowsql/config",
        ".oci/config",
        ".azure/accessTokens.json",
        ".azure/msal_token_cache.json",
        ".config/gcloud/access_tokens.db",
        ".config/hub",
        ".sentryclirc",
        ".mylogin.cnf",
        ".authinfo",
        ".Renviron",
        "AppData/postgresql/pgpass.conf",
        ".cargo/credentials",
        ".gem/credentials",
        "credentials",
        "config/credentials.yml",
        "credentials.toml",
        "ada_accessKeys.csv",
        "rootkey.csv",
        ".vscode/sftp.json",
        ".idea/dataSources.local.xml",
        "FileZilla/sitemanager.xml",
        "WinSCP.ini",
        "local.settings.json",
        "android/key.properties",
        ".gradle/gradle.properties",
        ".vault-pass",
        "ansible/vault_pass.txt",
        "passwords.txt",
        "secrets.txt",
        "db.secret",
        ".token",
        "serviceAccountKey.json",
        "wg0.conf",
        "etc/wireguard/home.conf",
        "keystore/UTC--2026-01-01T00-00-00.0Z--5aeda56215b167893e80b4fe645ba6d5",
        "fish_history",
        "ConsoleHost_history.txt",
        ".env copy",
        ".env copy 2",
        ".env (copy)",
        ".env - Copy",
        ".env(1)",
        "secrets copy.toml",
        "credentials (1).json",
        "credentials - Copy (2).json",
        "secrets.toml.backup",
        "auth.json.tmp",
        ".npmrc.BAK",
        ".netrc.bak2",
        ".netrc.~1~",
        ".secrets.toml.kate-swp",
        "password.txt",
        "token.txt",
        "Chrome Passwords.csv",
        "vault_password.txt",
    ],
)
def test_files_with_keys_are_denied_everywhere(tmp_path: Path, name: str) -> None:
    """Without any ignore file."""
    assert "keys or credentials" in (reason(tmp_path, name) or "")


@pytest.mark.parametrize(
    "name",
    [
        "app.py",
        ".env.example",
        "example.env",
        "id_rsa.pub",
        "environment.py",
        "docs/keys.md",
        "notes.bak",
        "~",
        "#",
        "settings.xml",
        ".env-example",
        "env.py",
        "src/credentials/mod.rs",
        "terraform.tfvars.example",
        "gradle.properties",
        ".azure/pipelines.yml",
        "profiles.yml",
        "keystore/keystore.go",
        "token.py",
        "vault.txt",
        "example.env copy",
        "notes (1).txt",
        "token copy.py",
        "tokens.json",
        "password.py",
        " copy",
        "(1)",
    ],
)
def test_ordinary_files_pass(tmp_path: Path, name: str) -> None:
    """Names that only look alike."""
    assert reason(tmp_path, name) is None


def test_gitignore_holds_back(tmp_path: Path) -> None:
    """As git would leave the file out, nested files included."""
    (tmp_path / ".gitignore").write_text("build/\n*.log\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".gitignore").write_text("!kept.log\n/local.py\n")
    assert reason(tmp_path, "build/x.py") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/a.log") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/local.py") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/kept.log") is None
    assert reason(tmp_path, "local.py") is None


@pytest.mark.parametrize("root", ["project", "link"])
@pytest.mark.parametrize(
    "path",
    [
        *("project/private.py", "link/private.py", "project/folder/../private.py"),
        *("project/to_private.py", "link/to_private.py", "project/to_env.py"),
        *("project/to_folder/x.py", "link/to_folder/x.py", "to_x.py", "to_env.py"),
    ],
)
def test_no_link_leads_around_it(tmp_path: Path, root: str, path: str) -> None:
    """Whichever path an editor has of the file and of the folder."""
    project = tmp_path / "project"
    (project / "folder").mkdir(parents=True)
    (project / ".gitignore").write_text("private.py\n/folder/\n")
    for name in ("private.py", "folder/x.py", ".env"):
        (project / name).touch()
    (project / "to_private.py").symlink_to("private.py")
    (project / "to_env.py").symlink_to(".env")
    (project / "to_folder").symlink_to("folder")
    (tmp_path / "to_x.py").symlink_to("project/folder/x.py")
    (tmp_path / "to_env.py").symlink_to("project/to_env.py")
    (tmp_path / "link").symlink_to("project")
    uri = f"{tmp_path.as_uri()}/{path}"
    assert IgnoreRules().reason(uri, ((tmp_path / root).as_uri(),)) is not None


@pytest.mark.parametrize(
    "link", ["top", "top/project", "top/project/sub", "top/project/sub/a.py", "absent"]
)
def test_a_link_that_comes_later_counts(tmp_path: Path, link: str) -> None:
    """What a path leads to may change between two questions, at each of its folders."""
    for top in ("top", "other"):
        (tmp_path / top / "project" / "sub").mkdir(parents=True)
        (tmp_path / top / "project" / "sub" / "a.py").touch()
    (tmp_path / "other" / ".redlineignore").write_text("a.py\n")
    asked = "absent/project/sub/a.py" if link == "absent" else "top/project/sub/a.py"
    uri, roots = (tmp_path / asked).as_uri(), ((tmp_path / "top").as_uri(),)
    target = tmp_path / link.replace("top", "other").replace("absent", "other")
    # Rules that count at the target, whose path is another one.
    (tmp_path / "other" / ".git").mkdir()
    rules = IgnoreRules()
    assert rules.reason(uri, roots) is None
    if (tmp_path / link).exists():
        (tmp_path / link).rename(tmp_path / "away")
    (tmp_path / link).symlink_to(target)
    assert rules.reason(uri, roots) is not None


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".gitignore", "a.py"),
        (".redlineignore", "a.py"),
        ("project/.gitignore", "a.py"),
        ("project/sub/.redlineignore", "a.py"),
        (".git/info/exclude", "a.py"),
        (".git/config", "[core]\nexcludesFile = ~/mine"),
    ],
)
def test_a_rule_that_comes_and_goes_counts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: str
) -> None:
    """Each file that git and Redline read, above the file and elsewhere."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (".git/info", "project/sub", "home"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home" / "mine").write_text("a.py\n")
    uri = (tmp_path / "project" / "sub" / "a.py").as_uri()
    roots = ((tmp_path / "project").as_uri(),)
    rules = IgnoreRules()
    for _ in range(2):
        assert rules.reason(uri, roots) is None
        (tmp_path / file).write_text(f"{content}\n")
        assert rules.reason(uri, roots) is not None
        (tmp_path / file).unlink()


def test_redlineignore_adds_and_lifts(tmp_path: Path) -> None:
    """Its patterns come after git's."""
    (tmp_path / ".gitignore").write_text("notes.txt\n")
    (tmp_path / ".redlineignore").write_text("!notes.txt\nprivate.py\n")
    assert reason(tmp_path, "notes.txt") is None
    assert reason(tmp_path, "private.py") == ".redlineignore leaves it out"


def test_a_workspace_cannot_lift_the_built_in_list(tmp_path: Path) -> None:
    """Neither file lets a key through."""
    (tmp_path / ".gitignore").write_text("!.env\n")
    (tmp_path / ".redlineignore").write_text("!.env\n")
    assert reason(tmp_path, ".env") is not None


def test_a_repository_above_the_opened_folder_counts(tmp_path: Path) -> None:
    """The nearest one, whose `.git` is a folder, or a file as in a worktree."""
    opened = tmp_path / "outer" / "inner" / "opened"
    (opened / "sub").mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (tmp_path / "outer" / ".gitignore").write_text("a.py\n")
    (tmp_path / "outer" / ".redlineignore").write_text("sub/\n")
    assert reason(opened, "a.py") == ".gitignore leaves it out"
    assert reason(opened, "sub/b.py") == ".redlineignore leaves it out"
    (tmp_path / "outer" / "inner" / ".git").write_text("gitdir: elsewhere\n")
    assert reason(opened, "a.py") is None


def test_what_only_this_clone_excludes_is_named(tmp_path: Path) -> None:
    """Also if `.git/info` is a link, as in folders that share a repository."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "exclude").write_text("/a.py\nb.py\n")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "info").symlink_to(tmp_path / "shared")
    (project / ".gitignore").write_text("!b.py\n")
    assert reason(project, "a.py") == ".git/info/exclude leaves it out"
    assert reason(project, "b.py") is None


def test_a_repository_in_the_opened_folder_lifts_nothing(tmp_path: Path) -> None:
    """The ignore files of the opened folder still count in it."""
    (tmp_path / "sub" / ".git" / "info").mkdir(parents=True)
    (tmp_path / "sub" / ".git" / "info" / "exclude").write_text("/b.py\n")
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert reason(tmp_path, "sub/a.py") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/b.py") == ".git/info/exclude leaves it out"
    assert reason(tmp_path, "b.py") is None


def test_untitled_documents_and_other_folders_pass(tmp_path: Path) -> None:
    """No ignore file of the workspace is about them."""
    (tmp_path / ".gitignore").write_text("*\n")
    ignore_rules = IgnoreRules()
    assert ignore_rules.reason("untitled:Untitled-1", (tmp_path.as_uri(),)) is None
    assert ignore_rules.reason("file:///elsewhere/a.py", (tmp_path.as_uri(),)) is None


def test_a_folder_that_is_ignored_is_ignored_whole(tmp_path: Path) -> None:
    """Git does not look into it, so nothing there lets a file through."""
    (tmp_path / ".gitignore").write_text("build/\n!build/kept.py\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / ".gitignore").write_text("!*\n")
    assert reason(tmp_path, "build/kept.py") == ".gitignore leaves it out"


def test_wrong_lines_are_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the file and the line; everything else of the file holds."""
    ignore = tmp_path / ".gitignore"
    ignore.write_text("*.log\nbin\\\n!\n")
    assert reason(tmp_path, "a.py") is None
    assert reason(tmp_path, "a.log") is not None
    assert caplog.messages == [
        f"{ignore}, line 2 matches nothing: it ends with a backslash; "
        "nor do 1 more lines of it"
    ]


@pytest.mark.parametrize("name", [".gitignore", ".redlineignore"])
def test_an_ignore_file_that_is_no_file_is_none(tmp_path: Path, name: str) -> None:
    """Nothing waits for a pipe, and no device is read."""
    make: list[Callable[[Path], None]] = [
        os.mkfifo,
        Path.mkdir,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("/dev/kmsg"),
    ]
    if name == ".gitignore":
        make.append(lambda path: path.symlink_to(path.name))
    for number, one in enumerate(make):
        folder = tmp_path / str(number)
        folder.mkdir()
        one(folder / name)
        assert reason(folder, "a.py") is None


def test_what_cannot_be_read_may_hold_anything(tmp_path: Path) -> None:
    """A file that is too large, or a link to what we must not read."""
    root = tmp_path / "root"
    root.mkdir()
    (root / ".gitignore").write_text("#" * (MAX_IGNORE_BYTES + 1))
    assert (
        reason(root, "a.py") == ".gitignore cannot be used (it is larger than 100 kB)"
    )
    (root / ".gitignore").unlink()
    (tmp_path / "rules").write_text("a.py")
    (root / ".redlineignore").symlink_to(tmp_path / "rules")
    assert ".redlineignore cannot be used" in (reason(root, "a.py") or "")


AS_ANYBODY = """
import os, sys
from redline.assist.privacy.ignore_rules import IgnoreRules
if os.geteuid() == 0:
    os.seteuid(65534)
root, home = sys.argv[1:]
os.environ["HOME"] = home
print(IgnoreRules().reason(f"file://{root}/a.py", [f"file://{root}"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize(
    ("closed", "held"),
    [
        (".git/config", "config"),
        (".git/info/exclude", "info/exclude"),
        (".git/info", "info/exclude"),
        (".git", "config"),
        ("home", None),
    ],
)
def test_what_the_system_does_not_let_us_read_may_hold_anything(
    closed: str, held: str | None
) -> None:
    """Except in the home of a user, which may be another one's."""
    # Anybody may enter it, unlike the folders of pytest.
    with TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        for name in (".git/config", ".git/info/exclude", "home/.gitconfig", "a.py"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
        (root / closed).chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", AS_ANYBODY, root, root / "home"],
            capture_output=True,
            text=True,
            check=True,
        )
        (root / closed).chmod(0o755)
    denied = "it cannot be read: Permission denied"
    expected = f".git/{held} cannot be used ({denied})" if held else None
    assert done.stdout == f"{expected}\n"


def test_own_patterns_may_have_line_ends_of_old_systems(tmp_path: Path) -> None:
    """Carriage returns only; git would read one line."""
    (tmp_path / ".redlineignore").write_bytes(b"b.py\ra.py\r")
    assert reason(tmp_path, "a.py") == ".redlineignore leaves it out"
    (tmp_path / ".redlineignore").write_bytes(b"a.py\r!a.py\n")
    assert reason(tmp_path, "a.py") is None


@pytest.mark.parametrize("name", [".gitignore", ".redlineignore"])
@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
)
def test_patterns_that_are_not_utf_8_may_hold_anything(
    tmp_path: Path, name: str, encoding: str
) -> None:
    """PowerShell's `>` writes UTF-16."""
    (tmp_path / name).write_bytes("\ufeffa.py\r\n".encode(encoding))
    assert reason(tmp_path, "a.py") == (
        f"{name} cannot be used (it is in UTF-16 or UTF-32; save it as UTF-8)"
    )


@pytest.mark.parametrize("target", ["on_another_disk", ".redlineignore"])
def test_own_patterns_behind_a_link_to_nothing_may_hold_anything(
    tmp_path: Path, target: str
) -> None:
    (tmp_path / ".redlineignore").symlink_to(target)
    assert reason(tmp_path, "a.py") == (
        ".redlineignore cannot be used (it is a link to nothing)"
    )


@pytest.mark.parametrize("written", FORMS)
@pytest.mark.parametrize("named", FORMS)
@pytest.mark.parametrize("line", ["crédits.txt", "*é*", "/Übung/", "**/Übung/*"])
def test_letters_are_the_same_composed_and_decomposed(
    tmp_path: Path, line: str, named: Form, written: Form
) -> None:
    """On macOS both name the same file."""
    pattern = unicodedata.normalize(written, line)
    (tmp_path / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    name = unicodedata.normalize(named, "Übung/crédits.txt")
    assert reason(tmp_path, name) == ".gitignore leaves it out"
    other = unicodedata.normalize(named, "Ubung/çredits.txt")
    assert reason(tmp_path, other) is None


def test_what_one_form_of_a_name_ignores_the_other_does_not_allow(
    tmp_path: Path,
) -> None:
    lines = (unicodedata.normalize("NFD", "é.txt"), "!é.txt")
    (tmp_path / ".gitignore").write_text("\n".join(lines), encoding="utf-8")
    for form in FORMS:
        name = unicodedata.normalize(form, "é.txt")
        is_ignored = reason(tmp_path, name) is not None
        assert is_ignored is (form == "NFD")


def test_names_that_are_no_utf_8_are_matched(tmp_path: Path) -> None:
    """By their bytes, as git does."""
    (tmp_path / ".gitignore").write_bytes(b"\xff?.py\n")
    name = os.fsdecode(b"\xff\xfe.py")
    assert reason(tmp_path, name) == ".gitignore leaves it out"


@pytest.mark.parametrize("name", ["private.py", "secret/s.py", ".env"])
@pytest.mark.parametrize(
    "form",
    [
        "git:{root}/{name}?%7B%22ref%22%3A%22~%22%7D",
        "gitlens://7b{root}/{name}",
        "fugitive://{root}/.git//0/{name}",
        "fugitive://{root}/.git//8a6d2f0c1b9e4d7f3a5c6b8d9e0f1a2b3c4d5e6f/{name}",
        "diffview://{root}/.git/8a6d2f0c1b9/{name}",
        "diffview://{root}/.git/:0:/{name}",
        "gitsigns://{root}/.git/:0:{name}",
        "gitsigns://{root}//HEAD:{name}",
        "gitsigns://{root}//HEAD%3A{name}",
        "zipfile://{root}/a.zip::{name}",
    ],
)
def test_old_versions_are_judged_as_their_files(
    tmp_path: Path, form: str, name: str
) -> None:
    """However a plugin of an editor writes the revision into the URI."""
    (tmp_path / ".gitignore").write_text("/private.py\nsecret/\n")
    (tmp_path / ".git").mkdir()
    roots = (tmp_path.as_uri(),)

    def reason_of(file: str) -> str | None:
        uri = form.format(root=tmp_path.as_posix(), name=file)
        return IgnoreRules().reason(uri, roots)

    assert reason_of(name) is not None
    assert reason_of("open/a.py") is None


@pytest.mark.parametrize(
    "form",
    ["suda://{name}", "file://{root}/{name}%00.md", "file://{escaped}%2F{name}"],
)
def test_odd_uris_are_judged_as_the_files_that_they_may_mean(
    tmp_path: Path, form: str
) -> None:
    (tmp_path / ".gitignore").write_text("/private.py\n")
    root = tmp_path.as_posix()

    def reason_of(file: str) -> str | None:
        uri = form.format(root=root, escaped=quote(root, safe=""), name=file)
        return IgnoreRules().reason(uri, (tmp_path.as_uri(),))

    assert reason_of(".env") is not None
    assert reason_of("private.py") is not None
    assert reason_of("a.py") is None


@pytest.mark.parametrize("name", [".env", "prod.env", "id_rsa", "a.pem"])
@pytest.mark.parametrize(
    "form",
    [
        *(
            "file://{root}/{name}%0A",
            "file://{root}/{name}%20",
            "file://{root}/{name}.",
            "file://{root}/{name};a",
            "file://{root}/{name}%3Fref=main",
            "file://{root}/{name}%23L1",
        ),
        *("file://{root}%5C{name}", "file://{root}\\{name}", "untitled:{name}%20"),
    ],
)
def test_names_that_other_systems_read_alike_are_denied(
    tmp_path: Path, form: str, name: str
) -> None:
    uri = form.format(root=tmp_path.as_posix(), name=name)
    reason = IgnoreRules().reason(uri, (tmp_path.as_uri(),))
    assert "keys or credentials" in (reason or "")


@pytest.mark.parametrize(
    "query",
    [
        '{"path": "PATH", "ref": "BASE"}',
        '{"ref":"#1","fsPath":"PATH"}',
        "%7B%22path%22%3A%22PATH%22%7D",
    ],
)
@pytest.mark.parametrize("before", ["svn:", "svn:/old.py", "git:/a.zip::/b.py"])
def test_a_path_in_a_query_is_judged(tmp_path: Path, before: str, query: str) -> None:
    """The path before it may be a name that the editor shows."""
    (tmp_path / ".gitignore").write_text("private.py\n")
    for name, is_sent in (("private.py", False), (".env", False), ("a.py", True)):
        path = (tmp_path / name).as_posix()
        uri = f"{before}?{query.replace('PATH', path)}"
        assert (IgnoreRules().reason(uri, (tmp_path.as_uri(),)) is None) is is_sent


@pytest.mark.parametrize(
    "uri",
    [
        "search-editor:Untitled#1",
        "search-editor:/results.code-search",
        "output:extension-output-redline-%231",
        "debug:replinput",
    ],
)
def test_documents_that_show_other_files_are_held_back(uri: str) -> None:
    assert "parts of files" in (IgnoreRules().reason(uri, ()) or "")


@pytest.mark.parametrize(
    "form",
    [
        "fugitive://{top}/.git//8a6d2f0c1b9/pkg/{name}",
        "diffview://{top}/.git/8a6d2f0c1b9/pkg/{name}",
        "diffview://{top}/.git/:0:/pkg/{name}",
        "gitsigns://{top}/.git/:0:pkg/{name}",
        "gitsigns://{top}//HEAD:pkg/{name}",
    ],
)
@pytest.mark.parametrize("folders", [(), ("pkg",), ("..",)])
def test_old_versions_are_judged_from_the_top_of_their_repository(
    tmp_path: Path, form: str, folders: tuple[str, ...]
) -> None:
    """Also if the workspace folder is below it, above it, or there is none."""
    top = tmp_path / "all" / "repo"
    (top / ".git").mkdir(parents=True)
    (top / "pkg").mkdir()
    (top / ".redlineignore").write_text("/pkg/private.py\n")
    roots = tuple((top / folder).resolve().as_uri() for folder in folders)

    def reason_of(name: str) -> str | None:
        uri = form.format(top=top.as_posix(), name=name)
        return IgnoreRules().reason(uri, roots)

    assert reason_of("private.py") is not None
    assert reason_of("a.py") is None


@pytest.mark.parametrize("gone", ["top", "top/sub", "."])
@pytest.mark.parametrize("is_judged_before", [True, False])
def test_what_is_below_a_folder_that_is_gone_is_held_back(
    tmp_path: Path, gone: str, *, is_judged_before: bool
) -> None:
    """An editor still shows its files, and the ignore files are elsewhere."""
    root = tmp_path / "root"
    (root / "top" / "sub").mkdir(parents=True)
    (root / "top" / ".gitignore").write_text("private.py\n")
    rules, roots = IgnoreRules(), (root.as_uri(),)
    private = (root / "top" / "sub" / "private.py").as_uri()
    known = private if is_judged_before else (root / "top" / "sub" / "a.py").as_uri()
    rules.reason(known, roots)
    (root / gone).rename(tmp_path / "elsewhere")
    assert "its folder is gone" in (rules.reason(private, roots) or "")
    (tmp_path / "elsewhere").rename(root / gone)
    assert "leaves it out" in (rules.reason(private, roots) or "")


def test_a_file_in_a_folder_that_is_not_made_yet_may_be_sent(tmp_path: Path) -> None:
    """Nothing can leave it out but the ignore files above."""
    (tmp_path / ".gitignore").write_text("private.py\n")
    rules, roots = IgnoreRules(), (tmp_path.as_uri(),)
    assert rules.reason((tmp_path / "a.py").as_uri(), roots) is None
    assert rules.reason((tmp_path / "new" / "a.py").as_uri(), roots) is None
    private = (tmp_path / "new" / "private.py").as_uri()
    assert "leaves it out" in (rules.reason(private, roots) or "")
