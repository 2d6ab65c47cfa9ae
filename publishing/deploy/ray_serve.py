"""Redline's gateway under Ray Serve: `serve run ray_serve:gateway`.

Reads the `gateway.toml` that $REDLINE_GATEWAY_CONFIG names; its `[listen]` needs
`behind_proxy`, since Ray's proxy is what connects. Clients stay on one replica by the
header `x-session-id`. Ray waits for a replica for `graceful_shutdown_timeout_s`, and
then cuts what runs.
"""

import os
from pathlib import Path

from ray import serve
from ray.serve.config import RequestRouterConfig

from redline.gateway.config_file import load_gateway_file
from redline.gateway.configured import ConfiguredGateway


def build():
    """Build the application of one replica."""
    file = load_gateway_file(Path(os.environ["REDLINE_GATEWAY_CONFIG"]))
    if file.problems:
        raise ValueError("; ".join(map(str, file.problems)))
    return ConfiguredGateway(file).app()


router = "ray.serve.experimental.consistent_hash_router:ConsistentHashRouter"
gateway = serve.deployment(
    num_replicas=2,
    max_ongoing_requests=2_048,
    graceful_shutdown_timeout_s=90,
    request_router_config=RequestRouterConfig(request_router_class=router),
)(serve.ingress(build)(type("Gateway", (), {}))).bind()
