"""The sample file for Kubernetes: its schemas, and the configuration in it."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tests.outside.programs import ROOT, program, run_client

from redline.gateway.config_file import load_gateway_file

FILE = ROOT / "publishing" / "deploy" / "kubernetes.yaml"


async def test_it_fits_the_schemas(tmp_path: Path) -> None:
    said = await run_client(
        program("router", "kubernetes-validate"), "--strict", FILE, home=tmp_path
    )
    for kind in ("configmap", "deployment", "service", "ingress"):
        assert f"passed for resource {kind}/redline-gateway" in said


def test_its_configuration_has_no_problems(tmp_path: Path) -> None:
    _, after = FILE.read_text().split("  gateway.toml: |\n")
    path = tmp_path / "gateway.toml"
    path.write_text(textwrap.dedent(after.split("---")[0]))
    file = load_gateway_file(path, environ={"STORE_PASSWORD": "secret"})
    assert file.problems == ()
    assert file.listen.behind_proxy == ("10.0.0.0/8",)
