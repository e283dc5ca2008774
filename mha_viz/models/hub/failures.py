"""What can go wrong between here and the Hub, as a sentence with the next step."""

from __future__ import annotations

import errno
import os
import ssl

from mha_viz.errors import ModelError

#: The disk, the quota or the allowed file size is used up.
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_FORBIDDEN = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))


def failure(problem: BaseException, name: str) -> ModelError:
    """The error to show for what the Hub's client raised.

    Args:
        problem: from the client, from the transport below it, or from writing a file.
        name: the model's id.
    """
    import httpx2
    from huggingface_hub import errors

    if isinstance(problem, ModelError):
        return problem
    if isinstance(problem, errors.LocalEntryNotFoundError) and problem.__cause__ is not None:
        return failure(problem.__cause__, name)  # the client's word for "neither here nor there"; the cause says why
    if isinstance(problem, errors.OfflineModeIsEnabled):
        return ModelError("error.hub_offline", name=name)
    if isinstance(problem, errors.HfHubHTTPError):
        return _answered(problem, name)
    if isinstance(problem, httpx2.ProxyError):
        return ModelError("error.hub_proxy", name=name)
    if _is_about_encryption(problem):
        return ModelError("error.hub_certificate", name=name)
    if isinstance(problem, httpx2.ConnectTimeout | httpx2.ConnectError):
        return ModelError("error.hub_no_network", name=name)
    if isinstance(problem, httpx2.TimeoutException):
        return ModelError("error.hub_slow", name=name)
    if isinstance(problem, httpx2.TransportError):
        return ModelError("error.hub_broken_off", name=name)
    if isinstance(problem, OSError) and problem.errno:
        return _not_kept(problem.errno, name)
    return ModelError("error.hub_strange", name=name)


def _not_kept(number: int, name: str) -> ModelError:
    """A file that could not be written."""
    if number in _FULL:
        return ModelError("error.hub_disk_full", name=name)
    if number in _FORBIDDEN:
        return ModelError("error.hub_not_writable", name=name)
    return ModelError("error.hub_not_kept", name=name, reason=os.strerror(number))


def _answered(problem: BaseException, name: str) -> ModelError:
    """An answer of the Hub that says no."""
    from huggingface_hub import errors

    assert isinstance(problem, errors.HfHubHTTPError)
    status = problem.response.status_code
    if isinstance(problem, errors.GatedRepoError):
        return ModelError("error.hub_gated", name=name)
    if isinstance(problem, errors.DisabledRepoError):
        return ModelError("error.hub_disabled", name=name)
    if isinstance(problem, errors.RevisionNotFoundError):
        return ModelError("error.hub_no_revision", name=name)
    if isinstance(problem, errors.EntryNotFoundError):
        return ModelError("error.hub_file_gone", name=name)
    if status in (401, 404):
        return ModelError("error.hub_not_found", name=name)
    if status == 403:
        return ModelError("error.hub_refused", name=name)
    if status == 429:
        return ModelError("error.hub_too_many", name=name)
    if status >= 500:
        return ModelError("error.hub_trouble", name=name, status=status)
    return ModelError("error.hub_strange", name=name)


def _is_about_encryption(problem: BaseException) -> bool:
    """Whether no encrypted connection that can be trusted came about, anywhere in the chain of causes."""
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, ssl.SSLError) or "CERTIFICATE_VERIFY" in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
