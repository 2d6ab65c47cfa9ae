"""What is on the disk is read by `redline.files`, and by nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.server_trees import server_trees

ALLOWED = {
    # The one function itself.
    ("files.py", "os.open"),
    ("files.py", "os.scandir"),
    # Files of the user that a command names: there a pipe is as good as a file.
    ("cli/reports/check_files.py", ".open"),
    ("cli/commands/gateway.py", ".open"),
    ("cli/gateway/team_gateway.py", ".open"),
    ("cli/review/report_file.py", "open"),
    ("cli/review/report_file.py", "os.open"),
    ("cli/commands/route.py", ".open"),
    # Our own files.
    ("checks/names/added_names.py", ".read_bytes"),
    ("checks/names/standard_words.py", ".read_bytes"),
    ("checks/names/standard_names.py", ".read_bytes"),
    ("checks/python/standard_types.py", ".read_bytes"),
    ("log.py", "open"),
    ("lsp/review/review_reports.py", ".glob"),
    ("owner_only_files.py", "open"),
    ("owner_only_files.py", "os.open"),
    ("prompts/encoding.py", ".read_bytes"),
    ("prompts/render.py", ".read_text"),
    ("routing/learned.py", ".read_bytes"),
    ("settings/editor_schema.py", ".read_text"),
    ("syntax/grammar.py", ".read_text"),
    # These create files of the workspace, and read none.
    ("cli/plan/plan_files.py", ".open"),
    ("drafts.py", "os.open"),
    # The kernel's table of mounts.
    ("assist/privacy/local_disks.py", "os.open"),
    # The null device.
    ("cli/terminal/failure.py", "os.open"),
    ("cli/main.py", "os.open"),
    ("lsp/jsonrpc/stdio.py", "os.open"),
    # The list of processes.
    ("assist/testing/run_guard.py", "open"),
    ("assist/testing/run_guard.py", "os.listdir"),
    # Our own list of authorities, and the files of the gateway's administrator.
    ("models/model_address.py", "ssl.create_default_context(cafile)"),
    ("gateway/config_file.py", ".load_cert_chain"),
    # Connections.
    ("lsp/review/review_requests.py", ".open"),
    ("models/sockets/pool.py", ".open"),
    # Nodes of a tree.
    ("syntax/references.py", ".walk"),
    ("syntax/tree.py", ".walk"),
}
"""Where, and what is called there."""

FUNCTIONS = {"open", "io.open", "os.open", "os.scandir", "os.listdir", "os.walk"} | {
    *("os.fwalk", "glob.glob", "glob.iglob", "tomllib.load", "json.load"),
    *("shutil.copy", "shutil.copyfile", "linecache.getline", "tokenize.open"),
}
METHODS = {"read_text", "read_bytes", "iterdir", "glob", "rglob", "walk"} | {
    *("load_verify_locations", "load_cert_chain"),
}


def readings(tree: ast.AST) -> Iterator[str]:
    """Find the calls that open or list something on the disk."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in FUNCTIONS:
            yield name
        elif any(one.arg in ("cafile", "capath") for one in node.keywords):
            yield f"{name}(cafile)"
        elif isinstance(node.func, ast.Attribute):
            if node.func.attr in METHODS and name != "ast.walk":
                yield f".{node.func.attr}"
            elif node.func.attr == "open" and is_of_a_path(node):
                yield ".open"


def is_of_a_path(call: ast.Call) -> bool:
    """Whether `x.open(...)` looks like that of a path: a mode, or nothing."""
    return all(isinstance(one, ast.Constant) for one in call.args)


def test_nothing_else_reads() -> None:
    """Whatever is read of a workspace passes the checks of one place."""
    found = {
        (module, name)
        for module, tree in server_trees().items()
        for name in readings(tree)
    }
    assert found == ALLOWED


def test_readings_are_found() -> None:
    """Of every kind that Python has."""
    code = """
open("a"); os.open("a", 0); Path("a").open("rb"); p.open(); p.read_text()
p.iterdir(); os.scandir(p); tomllib.load(f); p.rglob("*")
context.load_cert_chain(p); ssl.create_default_context(cafile=p)
store.open(path, limit); edits.open(request); ast.walk(tree)
"""
    assert sorted(readings(ast.parse(code))) == sorted(
        [
            *("open", "os.open", ".open", ".open", ".read_text", ".iterdir"),
            *("os.scandir", "tomllib.load", ".rglob", ".load_cert_chain"),
            "ssl.create_default_context(cafile)",
        ]
    )
