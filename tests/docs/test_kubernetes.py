"""What stands in for Kubernetes takes whole clusters and refuses the others."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.kubernetes import GROUP, kubernetes, lacks

CONTAINER = {"image": "kcmab", "args": ["dask", "worker"]}
PART = {"spec": {"containers": [CONTAINER]}}
WHOLE = {"spec": {"scheduler": PART | {"service": {"ports": [8786]}}, "worker": PART}}


def without(role, word):
    """A cluster with a container that lacks something."""
    container = {key: value for key, value in CONTAINER.items() if key != word}
    part = {"spec": {"containers": [container]}}
    return {"spec": WHOLE["spec"] | {role: WHOLE["spec"][role] | part}}


@pytest.mark.parametrize(
    ("cluster", "lacking"),
    [
        (WHOLE, ""),
        ({}, "spec.scheduler.spec.containers[].image"),
        (without("scheduler", "args"), "spec.scheduler.spec.containers[].args"),
        (without("worker", "image"), "spec.worker.spec.containers[].image"),
        ({"spec": {"scheduler": PART, "worker": PART}}, "spec.scheduler.service"),
    ],
)
def test_what_a_cluster_lacks_is_found(cluster, lacking):
    """The operator needs images, commands and a service; the first that is not there is named."""
    assert lacks(cluster) == lacking


@pytest.mark.parametrize(("cluster", "code"), [(WHOLE, 201), (without("worker", "args"), 422)])
def test_only_whole_clusters_are_taken(cluster, code, tmp_path):
    """Over the wire a whole cluster is created and another one is refused."""
    with kubernetes(tmp_path) as variables:
        settings = json.loads(Path(variables["KUBECONFIG"]).read_text())
        place = urlsplit(settings["clusters"][0]["cluster"]["server"]).netloc
        with closing(HTTPConnection(place, timeout=20)) as line:
            clusters = f"/apis/{GROUP}/v1/namespaces/default/daskclusters"
            line.request("POST", clusters, json.dumps(cluster))
            assert line.getresponse().status == code
