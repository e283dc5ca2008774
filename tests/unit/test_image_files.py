"""The Dockerfile, what may go into its build, and the parts of tools/image.py that need no engine."""

from __future__ import annotations

import ast
import fnmatch
import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tools import engines, image

ROOT = Path(__file__).resolve().parents[2]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, continued lines joined."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#")).replace("\\\n", "")
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in text.splitlines()) if word]


def last(word: str) -> str:
    """The arguments of the last instruction of a kind."""
    return [rest for found, rest in instructions() if found == word][-1]


def environment() -> dict[str, str]:
    """What the image itself puts into the environment."""
    return dict(re.findall(r"(\w+)=(\S+)", last("ENV")))


def copied() -> list[str]:
    """What is copied from the repository."""
    copies = [rest.split() for word, rest in instructions() if word == "COPY"]
    return [source for words in copies if not words[0].startswith("--from") for source in words[:-1]]


def ignored(path: str) -> bool:
    """Whether .dockerignore keeps a path out of the build: the last pattern that fits it or a folder above it decides."""
    out = False
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.lstrip("!")
        if not line or line.startswith("#"):
            continue
        # A star of Docker's does not cross a slash; two may stand for no folder at all.
        name = pattern.removeprefix("**/")
        if any(fnmatch.fnmatch(one.split("/")[-1] if pattern != name else one, name) for one in above):
            out = not line.startswith("!")
    return out


# --- The Dockerfile -----------------------------------------------------------------------------------


def test_every_stage_starts_from_one_pinned_base() -> None:
    assert {rest.split()[0] for word, rest in instructions() if word == "FROM"} == {"${BASE}"}
    assert instructions()[0] == ("ARG", f"BASE={image.base_name()}")
    assert re.fullmatch(r"python:3\.\d+(\.\d+)?-slim-[a-z]+", image.base_name())


def test_its_python_is_new_enough() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.search(r":3\.(\d+)", image.base_name())
    assert found is not None
    assert int(found[1]) >= int(settings["requires-python"].removeprefix(">=3."))


def test_label_has_the_version_and_licence_of_the_project() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f'image.version="{settings["version"]}"' in last("LABEL")
    assert f'image.licenses="{settings["license"]}"' in last("LABEL")


def test_it_ends_as_a_user_by_number_who_is_not_root() -> None:
    words = [word for word, _ in instructions()]
    assert last("USER") == "1000:1000"
    assert "RUN" not in words[words.index("USER") :]


def test_the_cpu_is_the_default_and_the_argument_is_one_of_the_set_ups() -> None:
    assert ("ARG", "TORCH=cpu") in instructions()
    assert any('tools/setup.py run --torch "${TORCH}"' in rest for _, rest in instructions())
    done = subprocess.run([sys.executable, ROOT / "tools/setup.py", "--help"], capture_output=True, text=True)
    assert "{auto,cpu,cuda}" in done.stdout


def test_only_the_volume_and_tmp_need_writing() -> None:
    assert environment()["HF_HOME"] == last("VOLUME") == engines.VOLUME
    assert environment()["HOME"] == "/tmp"
    assert environment()["PYTHONDONTWRITEBYTECODE"] == "1"


def test_it_listens_outside_on_the_port_that_is_exposed() -> None:
    assert environment()["STREAMLIT_SERVER_ADDRESS"] == "0.0.0.0"
    assert environment()["STREAMLIT_SERVER_PORT"] == last("EXPOSE") == str(engines.PORT)
    # Without it, Streamlit asks a server on the internet what this computer's address is.
    assert environment()["STREAMLIT_BROWSER_SERVER_ADDRESS"] == "localhost"


def test_the_app_is_process_number_one_so_that_signals_reach_it() -> None:
    assert json.loads(last("CMD")) == ["python", "-m", "streamlit", "run", "app.py"]
    assert not any(word == "ENTRYPOINT" for word, _ in instructions())


# --- The health check ---------------------------------------------------------------------------------


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server that gives this answer to the health question, 404 to others; gives its port."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/_stcore/health" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def health_check(port: int, **more: str) -> int:
    """Run the Dockerfile's own command."""
    options, _, command = last("HEALTHCHECK").partition(" CMD ")
    assert "--start-period" in options
    words = json.loads(command)
    assert words[0] == "python"
    env = {**os.environ, "STREAMLIT_SERVER_PORT": str(port), **more}
    return subprocess.run([sys.executable, *words[1:]], env=env, capture_output=True).returncode


@pytest.mark.parametrize(("status", "well"), [(200, True), (503, False), (404, False)])
def test_health_check_passes_only_if_the_app_is_well(status: int, well: bool) -> None:
    with answering(status) as port:
        assert (health_check(port) == 0) is well


def test_health_check_fails_where_nothing_answers() -> None:
    with answering(200) as port:
        pass
    assert health_check(port) != 0


def test_health_check_does_not_ask_a_proxy() -> None:
    with answering(503) as proxy, answering(200) as port:
        assert health_check(port, http_proxy=f"http://127.0.0.1:{proxy}", no_proxy="") == 0


# --- What goes into the build -------------------------------------------------------------------------


def test_all_that_is_copied_exists_and_is_let_through() -> None:
    assert len(copied()) >= 6
    for path in copied():
        assert (ROOT / path).exists(), path
        assert not ignored(path), path


def test_every_file_of_the_app_is_let_through() -> None:
    files = [*(ROOT / "mha_viz").rglob("*"), *(ROOT / "pages").rglob("*")]
    names = [str(file.relative_to(ROOT)) for file in files if file.is_file() and "__pycache__" not in file.parts]
    assert len(names) > 50
    assert [name for name in names if ignored(name)] == []


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".git/config",
        ".venv/bin/python",
        ".ci/run",
        "tests/unit/test_image_files.py",
        "docs/heads.png",
        ".streamlit/secrets.toml",
        "tools/image.py",
        "requirements-dev.txt",
        "pages/__pycache__/heads.cpython-311.pyc",
        "mha_viz/models/toy/__pycache__/jobs.cpython-311.pyc",
        "anything-that-is-new",
    ],
)
def test_the_rest_stays_out(path: str) -> None:
    assert ignored(path)


def test_no_index_but_pytorchs_own_is_named() -> None:
    for name in ("Dockerfile", ".dockerignore", "tools/image.py", "tools/engines.py"):
        hosts = re.findall(r"https?://([^/\s\"'{]+)", (ROOT / name).read_text(encoding="utf-8"))
        assert {host.partition(":")[0] for host in hosts} <= {"127.0.0.1", "download.pytorch.org"}, name


# --- tools/image.py -----------------------------------------------------------------------------------


def fake_engines(folder: Path, monkeypatch: pytest.MonkeyPatch, **codes: int) -> None:
    """Put programs of these names and exit codes on the path, and nothing else."""
    for name, code in codes.items():
        (folder / name).write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
@pytest.mark.parametrize(
    ("codes", "wanted", "expected"),
    [
        ({"docker": 0, "podman": 0, "buildah": 0}, None, "docker"),
        ({"docker": 1, "podman": 0, "buildah": 0}, None, "podman"),
        ({"docker": 1, "buildah": 0}, None, "buildah"),
        ({"docker": 0, "podman": 0}, "podman", "podman"),
    ],
)
def test_first_engine_that_works_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codes: dict[str, int], wanted: str | None, expected: str
) -> None:
    fake_engines(tmp_path, monkeypatch, **codes)
    assert engines.choose_engine(wanted) == expected


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
@pytest.mark.parametrize(
    ("arguments", "said"), [([], "Neither docker nor podman"), (["--engine", "docker"], "docker is")]
)
def test_no_engine_gives_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    fake_engines(tmp_path, monkeypatch, docker=1)
    assert image.main(["build", *arguments]) == 1
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    ("text", "size"),
    [("1469362039", 1469362039), ("1.47 GB", 1_470_000_000), ("199MB\n", 199_000_000), ("512 B", 512), ("2 KiB", 2048)],
)
def test_sizes_as_engines_write_them(text: str, size: int) -> None:
    assert engines.size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "big", "1.47 XB", "-1 GB"])
def test_other_texts_are_not_sizes(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        engines.size_in_bytes(text)


def test_pip_configuration_keeps_only_where_packages_come_from() -> None:
    listing = "\n".join(
        [
            ":env:.index-url='https://user@mirror.example/simple'",
            "global.extra-index-url='\\nfile:///srv/index/simple\\nfile:///srv/more/simple/'",
            "global.find-links='/srv/wheels'",
            "global.index-url='https://other.example/simple'",
            "install.user='true'",
            "install.constraint='/etc/constraints.txt'",
        ]
    )
    text, paths = image.pip_configuration(listing)
    assert text.splitlines() == [
        "[global]",
        "extra-index-url = file:///srv/index/simple file:///srv/more/simple/",
        "find-links = /srv/wheels",
        "index-url = https://user@mirror.example/simple",
        "constraint = /etc/constraints.txt",
    ]
    assert paths == ["/etc/constraints.txt", "/srv/index", "/srv/more", "/srv/wheels"]


def test_no_configuration_is_an_empty_one() -> None:
    assert image.pip_configuration("") == ("[global]\n", [])


@pytest.mark.parametrize("works", [True, False])
def test_report_tells_and_remembers_what_failed(works: bool, capsys: pytest.CaptureFixture[str]) -> None:
    report = image.Report()
    report.line(works, "not_root", "got 0")
    report.line(True, "stop", seconds=1.25)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("  ok") is works
    assert ("got 0" in first) is not works
    assert "(1.2 s)" in second
    assert report.failed is not works


@pytest.mark.parametrize("code", [image.PROBE, image.MODELS])
def test_what_runs_inside_is_python(code: str) -> None:
    ast.parse(code)


def test_every_sentence_is_used() -> None:
    source = "".join((ROOT / "tools" / name).read_text(encoding="utf-8") for name in ("image.py", "engines.py"))
    assert [key for key in engines.TEXT if source.count(f'"{key}"') < 2] == []
