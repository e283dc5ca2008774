"""Asking the Hub over networks that are not there, are slow, or stand in the way."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mha_viz
from mha_viz.models.hub import names, remote
from mha_viz.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def asked_at(endpoint: str, tmp_path: Path) -> mha_viz.ModelError:
    with pytest.raises(mha_viz.ModelError) as caught:
        remote.ask(names.HubName("org/tiny"), None, Settings(), endpoint=endpoint, cache_dir=tmp_path / "cache")
    assert "http" not in str(caught.value)
    return caught.value


def test_offline_is_respected(hub, tmp_path):
    """HF_HUB_OFFLINE is read by the client when it starts; so a process of its own."""
    code = (
        "import sys; from mha_viz.models.hub import names, remote; from mha_viz.settings import Settings;"
        "from mha_viz.errors import ModelError\n"
        "try: remote.ask(names.HubName('org/tiny'), None, Settings(), cache_dir=sys.argv[1])\n"
        "except ModelError as problem: print(problem.key)"
    )
    environment = {"HF_HUB_OFFLINE": "1", "HF_ENDPOINT": hub.address, "PATH": "", "NO_PROXY": "*"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "error.hub_offline"
    assert hub.requests == []


def test_no_network_at_all(direct, tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # nobody listens, so the connection is refused
        assert asked_at(f"http://127.0.0.1:{unused.getsockname()[1]}", tmp_path).key == "error.hub_no_network"


def test_a_name_that_cannot_be_looked_up(direct, tmp_path):
    assert asked_at("http://no-such-host.invalid", tmp_path).key == "error.hub_no_network"


@pytest.fixture
def black_hole(direct: None) -> Iterator[str]:
    """An address that swallows what is sent to it: a socket whose queue of callers is full."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        callers = [socket.socket() for _ in range(4)]
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        for caller in callers:
            caller.close()


def test_an_address_that_swallows_everything(black_hole, tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "STEP", 0.3)
    assert asked_at(black_hole, tmp_path).key == "error.hub_no_network"


def test_an_answer_that_never_comes(hub, tmp_path, monkeypatch):
    hub.faults.hang_at_once = True
    monkeypatch.setattr(remote, "STEP", 0.3)
    assert asked_at(hub.address, tmp_path).key == "error.hub_slow"


def test_the_whole_question_has_an_end_whatever_its_steps_do(hub, tmp_path, monkeypatch):
    """The server lets go only when the test ends; that an answer comes at all is the point."""
    hub.faults.hang_at_once = True
    monkeypatch.setattr(remote, "STEP", 3_600)
    monkeypatch.setattr(remote, "DEADLINE", 0.5)
    assert asked_at(hub.address, tmp_path).key == "error.hub_slow"


def test_a_proxy_that_is_not_there(hub, tmp_path, monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert asked_at("http://hub.invalid", tmp_path).key in ("error.hub_no_network", "error.hub_proxy")
    assert hub.requests == []


def test_a_connection_that_is_not_encrypted(hub, tmp_path):
    assert asked_at(hub.address.replace("http:", "https:"), tmp_path).key == "error.hub_certificate"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_certificate_that_nobody_trusts(hub, tmp_path):
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    made += " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    subprocess.run(["openssl", *made.split()], cwd=tmp_path, capture_output=True, check=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    hub._server.socket = context.wrap_socket(hub._server.socket, server_side=True)
    assert asked_at(hub.address.replace("http:", "https:"), tmp_path).key == "error.hub_certificate"
