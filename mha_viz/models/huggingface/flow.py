"""Which modules of a network project into query, key and value, and which takes the heads' outputs: found by what flows.

No architecture's names are known here. In the one run of the proof every module with a matrix tells what it read and gave; the
projection of a layer is the one that gave, split into heads, that layer's query (key, value); W_O is the one that read the
heads' joined output. GPT-2 gives all three side by side from one module. Models that turn query and key after projecting
them (rotary positions) have no such module.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import torch

from mha_viz.errors import ModelError
from mha_viz.models.huggingface.eager import twin_of
from mha_viz.models.probe import Probe
from mha_viz.spec import ModelSpec


class Product(NamedTuple):
    """A module, or a part of its columns, as x @ W + b.

    Attributes:
        name: of the module within its network.
        module: itself.
        first: of d_model columns that are meant.
        turned: whether the module keeps its matrix as (out, in), as Linear does.
    """

    name: str
    module: torch.nn.Module
    first: int
    turned: bool

    def matrix(self, width: int) -> torch.Tensor:
        """W, (d_model, d_model)."""
        weight = _weight(self.module)
        return (weight.T if self.turned else weight)[:, self.first : self.first + width]

    def bias(self, width: int) -> torch.Tensor | None:
        """b, (d_model,), or None."""
        bias = getattr(self.module, "bias", None)
        return None if bias is None else bias[self.first : self.first + width]


class Products(NamedTuple):
    """The four of one layer; query, key and value read the same x."""

    query: Product
    key: Product
    value: Product
    output: Product


class _Passed(NamedTuple):
    """What one module read and gave, (token, width) each."""

    name: str
    module: torch.nn.Module
    read: torch.Tensor
    gave: torch.Tensor


class Flow:
    """Watches the one run of the proof. Its hooks live that long; the network belongs to nobody else yet.

    Args:
        network: freshly loaded.
        probe: of the run.

    Attributes:
        merges: by layer, the module that the heads' joined output went into.
        products: by layer, the projections and W_O; a layer without them is missing.
    """

    def __init__(self, network: Any, probe: Probe) -> None:
        self._probe = probe
        self._passed: list[_Passed] = []
        self.merges: dict[int, torch.nn.Module] = {}
        self.products: dict[int, Products] = {}
        self._hooks = [
            module.register_forward_hook(self._look(name))
            for name, module in network.named_modules()
            if getattr(getattr(module, "weight", None), "ndim", 0) == 2
        ]

    def stop(self) -> None:
        """Takes the hooks away."""
        for hook in self._hooks:
            hook.remove()
        self._passed.clear()

    def modules(self, spec: ModelSpec) -> list[torch.nn.Module]:
        """W_O of each layer.

        Raises:
            ModelError: a layer has none.
        """
        if set(self.merges) != set(range(spec.n_layers)):
            raise ModelError("error.no_merge", name=spec.name)
        return [self.merges[layer] for layer in range(spec.n_layers)]

    def _look(self, name: str) -> Any:
        def look(module: torch.nn.Module, arguments: tuple[Any, ...], gave: Any) -> None:
            if not arguments or not torch.is_tensor(arguments[0]) or not torch.is_tensor(gave):
                return
            read = arguments[0]
            if not read.is_floating_point() or read.numel() // read.shape[-1] != self._probe.n_tokens:
                return
            passed = _Passed(name, module, read.reshape(-1, read.shape[-1]), gave.reshape(-1, gave.shape[-1]))
            layer, joined = self._probe.calls - 1, self._probe.joined
            if joined is None or layer in self.merges or not _same(passed.read, joined):
                self._passed.append(passed)
                return
            self.merges[layer] = module
            found = self._products(passed)
            if found is not None:
                self.products[layer] = found
            self._passed.clear()

        return look

    def _products(self, merging: _Passed) -> Products | None:
        """The projections of the layer whose heads were just merged: among what passed since the layer before."""
        output = _product(merging, 0, merging.gave.shape[1])
        found = [self._giving(wanted) for wanted in self._probe.latest]
        if output is None or any(one is None for one in found):
            return None
        query, key, value = (one for one in found if one is not None)
        if not (torch.equal(query[1], key[1]) and torch.equal(query[1], value[1])):
            return None
        return Products(query[0], key[0], value[0], output)

    def _giving(self, wanted: torch.Tensor) -> tuple[Product, torch.Tensor] | None:
        """What gave these columns, (token, d_model), and what it read."""
        width = wanted.shape[1]
        for passed in reversed(self._passed):
            if passed.read.shape[1] != width:
                continue
            for first in range(0, passed.gave.shape[1] - width + 1, width):
                if torch.equal(passed.gave[:, first : first + width], wanted):
                    product = _product(passed, first, width)
                    if product is not None:
                        return product, passed.read
        return None


class Recorder:
    """A twin of the network that shares its weights and tells a call's probe what the projections read.

    The network itself keeps no hook. The twin's hooks find the probe of their own thread, so that no call waits for another.

    Args:
        network: the network.
        products: of each of its layers.
    """

    def __init__(self, network: Any, products: list[Products]) -> None:
        self.twin = twin_of(network)
        self._of_thread = threading.local()
        for name in {layer.query.name for layer in products}:
            self.twin.get_submodule(name).register_forward_pre_hook(self._tell)

    def watching(self, probe: Probe) -> _Watching:
        """A context in which this thread's calls of ``twin`` tell ``probe``."""
        return _Watching(self._of_thread, probe)

    def _tell(self, module: torch.nn.Module, arguments: tuple[Any, ...]) -> None:
        probe: Probe | None = getattr(self._of_thread, "probe", None)
        if probe is not None:
            probe.read(arguments[0])


class _Watching:
    """Names a probe as that of the thread, for a while."""

    def __init__(self, of_thread: threading.local, probe: Probe) -> None:
        self._of_thread, self._probe = of_thread, probe

    def __enter__(self) -> None:
        self._of_thread.probe = self._probe

    def __exit__(self, *problem: object) -> None:
        self._of_thread.probe = None


def _product(passed: _Passed, first: int, width: int) -> Product | None:
    """The module as a product that gives what it gave; None if neither its matrix nor the turned one does."""
    for turned in (True, False):
        product = Product(passed.name, passed.module, first, turned)
        weight = _weight(passed.module)
        if tuple(weight.T.shape if turned else weight.shape) != (passed.read.shape[1], passed.gave.shape[1]):
            continue
        bias = product.bias(width)
        got = passed.read.float() @ product.matrix(width).float()
        got = got if bias is None else got + bias.float()
        expected = passed.gave[:, first : first + width].float()
        rough = 1e-4 if passed.gave.dtype == torch.float32 else 3e-2
        if float((got - expected).abs().max()) <= rough * float(expected.abs().max()):
            return product
    return None


def _weight(module: torch.nn.Module) -> torch.Tensor:
    weight = module.weight
    assert isinstance(weight, torch.Tensor)
    return weight


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one, other)
