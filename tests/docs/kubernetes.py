"""As much of a Kubernetes API server as `kubectl apply` asks for: it takes clusters of Dask's.

It starts nothing. What is handed to it is checked for what the operator reads first.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GROUP = "kubernetes.dask.org"
VERSION = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
CLUSTERS = {
    "name": "daskclusters",
    "singularName": "daskcluster",
    "namespaced": True,
    "kind": "DaskCluster",
    "verbs": ["create", "get"],
}
ANSWERS: dict[str, dict[str, Any]] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {
        "kind": "APIGroupList",
        "groups": [{"name": GROUP, "versions": [VERSION], "preferredVersion": VERSION}],
    },
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
    f"/apis/{GROUP}/v1": {
        "kind": "APIResourceList",
        "groupVersion": f"{GROUP}/v1",
        "resources": [CLUSTERS],
    },
}
SCHEMA = "/openapi/v2"
# A Swagger document of version 2.0 with a title and nothing in it, the only way that this is asked.
NO_SCHEMA = b"\x0a\x032.0\x12\x06\x0a\x01k\x12\x011"
PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


class Api(BaseHTTPRequestHandler):
    """Tells what it knows, and takes what fits."""

    def do_GET(self) -> None:
        """What kinds of things there are, and that none of them is here yet."""
        path = self.path.partition("?")[0]
        if path == SCHEMA:
            self._say(200, NO_SCHEMA, PROTOBUF)
        elif path in ANSWERS:
            self._say(200, json.dumps(ANSWERS[path]).encode())
        else:
            self._refuse(404, "NotFound", f"there is no {path}")

    def do_POST(self) -> None:
        """Take a cluster, or say what it lacks."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        lacking = lacks(json.loads(body))
        if lacking:
            self._refuse(422, "Invalid", f"the cluster lacks {lacking}")
        else:
            self._say(201, body)

    def _refuse(self, code: int, reason: str, message: str) -> None:
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
        self._say(code, json.dumps({**status, "reason": reason, "message": message}).encode())

    def _say(self, code: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def lacks(cluster: dict[str, Any]) -> str:
    """What a cluster does not have and the operator needs; '' if nothing."""
    spec = cluster.get("spec", {})
    for role in ("scheduler", "worker"):
        for container in spec.get(role, {}).get("spec", {}).get("containers", [{}]):
            for word in ("image", "args"):
                if not container.get(word):
                    return f"spec.{role}.spec.containers[].{word}"
    return "" if spec["scheduler"].get("service") else "spec.scheduler.service"


@contextmanager
def kubernetes(folder: Path) -> Iterator[dict[str, str]]:
    """An API server on this machine, and the settings with which `kubectl` finds it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    settings = folder / "config"
    here = {"name": "page", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}
    context = {"name": "page", "context": {"cluster": "page"}}
    settings.write_text(
        json.dumps({"clusters": [here], "contexts": [context], "current-context": "page"})
    )
    with server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield {"KUBECONFIG": str(settings), "KUBECACHEDIR": str(folder / "cache")}
        finally:
            server.shutdown()
