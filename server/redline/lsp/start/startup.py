"""`redline serve`: answers `initialize` first and loads everything else afterwards.

Importing what an edit needs takes longer than everything before it. The editor gets its
answer without waiting for that; its next messages wait in the pipe.
"""

from __future__ import annotations

import sys

from redline import __version__
from redline.assist.actions.kinds import OFFERED_KINDS
from redline.garbage_collection import leave_out_loaded
from redline.lsp.client.window import show_failures
from redline.lsp.initialize import Client, ServerOffer, serve_initialize
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.pygls_lane import PyglsLane
from redline.lsp.jsonrpc.transport import Transport
from redline.lsp.options import ServeOptions
from redline.lsp.protocol.names import COMMANDS, REPORT_SCHEME
from redline.lsp.start.serving import run, serve_stdio, serve_tcp


def serve(options: ServeOptions) -> int:
    """Serve one editor until it ends; return the exit code.

    Raises:
        InvalidArgumentsError: If the server cannot listen on the address.
    """

    def build(transport: Transport) -> Endpoint:
        return build_endpoint(transport, options)

    if options.tcp is None:
        return run(serve_stdio(build))
    address = options.tcp
    return run(serve_tcp(build, address.host, address.port, _announce))


def build_endpoint(transport: Transport, options: ServeOptions) -> Endpoint:
    """Build an endpoint that becomes a complete server once it is initialized."""
    endpoint = Endpoint(transport.send, is_congested=lambda: transport.is_congested)
    lane = PyglsLane(endpoint)
    endpoint.set_fallback(lane)

    def on_client(client: Client) -> None:
        if client.hides_errors:
            show_failures(endpoint)
        endpoint.after_initialize(lambda: _complete(endpoint, lane, client, options))

    offer = ServerOffer(
        name="redline",
        version=__version__,
        commands=COMMANDS,
        schemes=(REPORT_SCHEME,),
        capabilities={
            "codeActionProvider": {
                "codeActionKinds": list(OFFERED_KINDS),
                "resolveProvider": True,
            },
            "codeLensProvider": {"resolveProvider": False},
        },
    )
    serve_initialize(endpoint, offer, on_client)
    return endpoint


def _complete(
    endpoint: Endpoint, lane: PyglsLane, client: Client, options: ServeOptions
) -> None:
    from redline.lsp.server import Server

    server = Server(endpoint, client, options)
    lane.use_features(server.register_features)
    leave_out_loaded()


def _announce(port: int) -> None:
    sys.stderr.write(f"redline listens on port {port}\n")
    sys.stderr.flush()
