"""One request through the Hub's client: its connections, its headers, its errors. Imported only when the Hub is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

# These are exported by the client, but not marked so for the type checker.
from huggingface_hub.utils import WeakFileLock as WeakFileLock  # type: ignore[attr-defined]
from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status  # type: ignore[attr-defined]

if TYPE_CHECKING:
    import httpx2


@contextmanager
def answer(url: str, timeout: float, **headers: str) -> Iterator[httpx2.Response]:
    """The answer to one GET, its body not read yet. No account, no repetition.

    Args:
        url: of a file on the Hub.
        timeout: seconds for connecting and for each piece of the body.
        headers: beside the client's; "_" stands for "-".

    Raises:
        HfHubHTTPError: the Hub says no.
        httpx2.TransportError: it cannot be reached, or breaks off.
    """
    sent = {**build_hf_headers(token=False), **{key.replace("_", "-"): value for key, value in headers.items()}}
    with get_session().stream("GET", url, headers=sent, timeout=timeout, follow_redirects=True) as response:
        hf_raise_for_status(response)
        yield response
