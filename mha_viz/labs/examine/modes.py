"""What is watched and switched off while a module runs, without a change to it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_DROPOUTS = (functional.dropout, torch.dropout, functional.alpha_dropout, functional.dropout1d, functional.dropout2d)
_SOFTMAXES = (torch.softmax, Tensor.softmax, functional.softmax, torch.nn.functional.softmin)
_SDPA = functional.scaled_dot_product_attention
#: Where SDPA takes its dropout if it is not named.
_SDPA_DROPOUT = 4


class Quiet(TorchFunctionMode):
    """Nothing is dropped; the results of every softmax are kept.

    Attributes:
        softmaxes: of what ran within, in their order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.softmaxes: list[Tensor] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in _DROPOUTS:
            return args[0] if args else kwargs["input"]
        if func is _SDPA:
            args = (*args[:_SDPA_DROPOUT], 0.0, *args[_SDPA_DROPOUT + 1 :]) if len(args) > _SDPA_DROPOUT else args
            kwargs |= {} if len(args) > _SDPA_DROPOUT else {"dropout_p": 0.0}
        if func is functional.multi_head_attention_forward:
            bound = inspect.signature(func).bind(*args, **kwargs)
            bound.arguments["dropout_p"] = 0.0
            args, kwargs = bound.args, bound.kwargs
        result = func(*args, **kwargs)
        if func in _SOFTMAXES and isinstance(result, Tensor):
            self.softmaxes.append(result)
        return result


class Devices(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the first operation that gets tensors of two devices. A number alone may lie anywhere, as PyTorch allows.

    Attributes:
        mixed: the operation and the devices; None if there was none.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.mixed: tuple[str, str] | None = None

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        tensors = [one for one in tree_leaves((args, kwargs or {})) if isinstance(one, Tensor) and one.dim() > 0]
        kinds = sorted({one.device.type for one in tensors})
        name = str(func)
        if len(kinds) > 1 and self.mixed is None and not any(part in name for part in ("copy", "index", "to.")):
            self.mixed = (name.removeprefix("aten."), " + ".join(kinds))
        return func(*args, **(kwargs or {}))


@contextmanager
def as_in(module: nn.Module, *, training: bool) -> Iterator[None]:
    """The module in one of its modes, and back in eval afterwards."""
    module.train(training)
    try:
        yield
    finally:
        module.eval()
