"""Starts the everything server of the Python SDK's source distribution on a free port.

    python launch.py --http

The server itself is untouched; `install.py` puts its package beside this file.
"""

import socket
import sys

import uvicorn
from mcp_everything_server.server import event_store, mcp


class Announcing(uvicorn.Server):
    """Says where it listens once it does; the system picks the port."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"listening on http://127.0.0.1:{port}/mcp", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["--http"]:
        sys.exit("usage: python launch.py --http")
    app = mcp.streamable_http_app(host="127.0.0.1", event_store=event_store, retry_interval=100)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        Announcing(config).run(sockets=[listener])
