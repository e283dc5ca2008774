"""Build the image and try it: `python3 -m tools.image build`, or `check` from an environment that has Playwright."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from tools.engines import (
    ENGINES,
    STOP_SECONDS,
    TEXT,
    VOLUME,
    Container,
    EngineContainer,
    Image,
    ImageError,
    NamespaceContainer,
    choose_engine,
    failure,
    inspect,
    run,
)

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEATMAP = ".st-key-large_head .xtick"
START_SECONDS, PAGE_SECONDS = 60.0, 120.0
#: What a build takes over of pip's configuration: where packages come from, and nothing else.
PIP_KEYS = re.compile("(extra-)?index-url|find-links|no-index|constraint|trusted-host|cert|proxy|(default-)?timeout")

PROBE = """
import errno, json, os, torch
def refused(place):
    path = os.path.join(place, "probe")
    try:
        open(path, "w").close()
    except OSError as error:
        return errno.errorcode[error.errno]
    os.remove(path)
root = {place: refused(place) for place in ("/", "/app", "/etc", "/home", "/usr")}
print(json.dumps([os.getuid(), root, refused(os.environ["HF_HOME"]), torch.version.cuda]))
"""
MODELS = """
import os
os.environ["HF_HUB_OFFLINE"] = "1"
import mha_viz
for name in "toy", "minilm":
    model = mha_viz.open_model(name)
    sums = model.run(model.tokenize("The cat sat on the mat")).weights.sum(-1)
    assert abs(sums - 1).max() < 1e-5, name
from mha_viz.labs.texts_data import FILES, read
for name in FILES:
    read(name)
assert not os.listdir(os.environ["HF_HOME"]), "something was fetched"
"""


def say(key: str, **values: object) -> None:
    """Print one of the script's sentences at once."""
    print(TEXT[key].format(**values), flush=True)


# --- Building -----------------------------------------------------------------------------------------


def pip_configuration(listing: str) -> tuple[str, list[str]]:
    """From what `pip config list` prints: a pip.conf for the build, and the local files and folders that it names."""
    chosen: dict[str, str] = {}
    # The environment overrules the files, so it comes last here.
    for line in sorted(listing.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        key = name.rpartition(".")[2]
        if PIP_KEYS.fullmatch(key):
            chosen[key] = " ".join(str(ast.literal_eval(value)).split())
    paths = set()
    for word in " ".join(chosen.values()).split():
        # The pages of an index in a folder link to files beside that folder.
        path = os.path.dirname(word.removeprefix("file://").rstrip("/")) if word.startswith("file://") else word
        if path.startswith("/") and path != "/":
            paths.add(path)
    return "[global]\n" + "".join(f"{key} = {value}\n" for key, value in chosen.items()), sorted(paths)


def base_name() -> str:
    """The image that the Dockerfile starts from."""
    return re.findall(r"^ARG BASE=(\S+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[0]


def make_base(engine: str) -> None:
    """Make a stand-in for the Dockerfile's base, for where no registry of images can be reached."""
    base = base_name()
    if engine == "docker":
        raise failure("base_docker")
    if not subprocess.run([engine, "inspect", "--type", "image", base], capture_output=True).returncode:
        say("base_there", base=base)
        return
    for tool in ("debootstrap", "buildah"):
        if shutil.which(tool) is None:
            raise failure("no_tool", tool=tool)
    say("base", base=base)
    with tempfile.TemporaryDirectory() as folder:
        packages = "--include=python3,python3-venv,python3-pip"
        run("debootstrap", "--variant=minbase", packages, base.rpartition("-")[2], folder)
        for leftover in ("var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(Path(folder, leftover))
        working = run("buildah", "from", "scratch")
        run("buildah", "add", "--quiet", working, folder, "/")
        run("buildah", "commit", "--quiet", "--rm", working, base)
    say("base_left", base=base)


def build(engine: str, tag: str, torch: str, stand_in: bool) -> None:
    """Build the image, with what this computer's pip knows of where packages come from."""
    if stand_in:
        make_base(engine)
    command = [engine, "build", "--tag", tag, "--build-arg", f"TORCH={torch}"]
    if engine != "docker":
        # The other format has no place for a health check.
        command += ["--format", "docker"]
    command += ["--isolation", "chroot", "--layers"] if engine == "buildah" else []
    command += ["--pull=never"] if stand_in else []
    listing = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    settings, paths = pip_configuration(listing.stdout)
    if engine == "docker" and paths:
        raise failure("no_folders", folders=", ".join(paths))
    for path in paths:
        command += ["--volume", f"{path}:{path}:ro"]
    say("build", tag=tag, engine=engine)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "pip.conf")
        secret.write_text(settings, encoding="utf-8")
        run(*command, "--secret", f"id=pip,src={secret}", str(ROOT), shown=True)
    say("built", tag=tag, seconds=time.monotonic() - begin)


# --- Trying -------------------------------------------------------------------------------------------


class Report:
    """Prints a line for each thing that was tried, and remembers whether one failed."""

    def __init__(self) -> None:
        """Nothing was tried yet."""
        self.failed = False

    def line(self, ok: bool, key: str, got: object = "", seconds: float | None = None, **values: object) -> None:
        """Tell how one thing went; `got` is what came instead, or a sentence of its own."""
        after = "" if seconds is None else TEXT["seconds"].format(seconds=seconds)
        what = TEXT[key].format(after=after, **values)
        self.failed |= not ok
        say("ok", what=what) if ok else say("bad", what=what, why=got)


def wait_for_health(container: Container, report: Report) -> bool:
    """Ask the app from outside until it says that it is well."""
    begin = time.monotonic()
    opener = build_opener(ProxyHandler({}))
    while time.monotonic() < begin + START_SECONDS:
        with suppress(OSError), opener.open(container.url + "/_stcore/health", timeout=2):
            report.line(True, "health", seconds=time.monotonic() - begin)
            return True
        time.sleep(0.1)
    log = "\n".join(container.log().splitlines()[-20:])
    report.line(False, "health", TEXT["nothing"].format(seconds=START_SECONDS, log=log), after="")
    return False


def look_inside(container: Container, image: Image, torch: str, report: Report) -> None:
    """What can be seen from inside: user, root, volume, PyTorch, the health check, both models."""
    probe = container.inside("python", "-c", PROBE)
    uid, root, volume, cuda = json.loads(probe.stdout) if probe.returncode == 0 else (None, {"": None}, "", "")
    if probe.returncode:
        print(probe.stderr)
    report.line(uid == 1000, "not_root", uid)
    report.line(set(root.values()) == {"EROFS"}, "read_only", root)
    report.line(volume is None, "volume", volume)
    report.line(bool(cuda) == (torch == "cuda"), "build_kind", cuda, torch=torch)
    well = container.inside(*image.health).returncode
    ill = container.inside("env", "STREAMLIT_SERVER_PORT=9", *image.health).returncode
    report.line(bool(image.health) and well == 0 and ill != 0, "own_check", (well, ill))
    models = container.inside("python", "-c", MODELS)
    report.line(models.returncode == 0, "models", models.stderr[-1000:])


@contextmanager
def pages_open(url: str, screenshots: Path | None, report: Report) -> Iterator[None]:
    """Open the Heads page with both models in Chromium, and keep it open for a while."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for source in ("toy", "minilm"):
            begin = time.monotonic()
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            try:
                page.goto(f"{url}/heads?source={source}")
                page.wait_for_selector(HEATMAP, timeout=PAGE_SECONDS * 1000)
                report.line(True, "page", seconds=time.monotonic() - begin, source=source)
            except Error as error:
                report.line(False, "page", error.message, source=source)
            if screenshots:
                page.screenshot(path=screenshots / f"{source}.png")
        yield
        browser.close()


def check(engine: str, tag: str, torch: str, screenshots: Path | None) -> bool:
    """Start the image and try what it promises; return whether all of it holds."""
    try:
        import playwright.sync_api  # noqa: F401 - asked for before minutes are spent
    except ImportError:
        raise failure("no_playwright") from None
    image, report = inspect(engine, tag), Report()
    say("size", tag=tag, size=image.size / 1e9, engine=engine)
    say("start", engine=engine, volume=VOLUME)
    if engine == "buildah":
        say("namespaces")
    container: Container = NamespaceContainer(image) if engine == "buildah" else EngineContainer(engine, image)
    try:
        if wait_for_health(container, report):
            look_inside(container, image, torch, report)
            with pages_open(container.url, screenshots, report):
                seconds = container.stop()
                report.line(seconds is not None, "stop", TEXT["killed"].format(seconds=STOP_SECONDS), seconds=seconds)
    finally:
        container.remove()
    say("some_bad" if report.failed else "all_ok")
    return not report.failed


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, do what it asks for, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.image", description="Build the image and try it.")
    parser.add_argument("task", choices=("build", "check"), help="check: start the image that was built, and try it")
    parser.add_argument("--build", action="store_true", help="with check: build it first")
    parser.add_argument("--engine", choices=ENGINES, help="instead of the first one that works")
    parser.add_argument("--tag", default="mha_viz", help="the image's name")
    parser.add_argument("--torch", choices=("cpu", "cuda"), default="cpu", help="which PyTorch is in it")
    parser.add_argument("--stand-in-base", action="store_true", help="make the base here, from Debian's packages")
    parser.add_argument("--screenshots", type=Path, help="with check: a folder for pictures of the pages")
    chosen = parser.parse_args(arguments)
    try:
        engine = choose_engine(chosen.engine)
        if chosen.task == "build" or chosen.build:
            build(engine, chosen.tag, chosen.torch, chosen.stand_in_base)
        if chosen.task == "check":
            return 0 if check(engine, chosen.tag, chosen.torch, chosen.screenshots) else 1
        say("size", tag=chosen.tag, size=inspect(engine, chosen.tag).size / 1e9, engine=engine)
    except (ImageError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + TEXT["stopped"], file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
