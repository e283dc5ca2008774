"""The present view as records: what to read, which model, which controls."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mha_viz.controls import Controls, HeadId, heads_beyond, heads_without
from mha_viz.errors import NotHereError
from mha_viz.figures.colour import Colour
from mha_viz.masks import MASKS, AllOf, AnyOf, Mask, joined
from mha_viz.metrics import METRICS
from mha_viz.models import HubOptions, Options, options_for
from mha_viz.models.place import Place
from mha_viz.spec import ModelSpec
from mha_viz.trace import AttentionTrace
from mha_viz.ui import own_store, parameters, state


@dataclass(frozen=True)
class Text:
    """What is to be read.

    Attributes:
        first, second: the sentences; second is None if there is none.
        cut: whether a text that is too long is cut.
        read_special: whether "[MASK]" and the like in the text are special tokens.
        edits: what is changed in the tokens, in the short form of ``edits.Edits``.
    """

    first: str
    second: str | None
    cut: bool
    read_special: bool
    edits: str = ""


@dataclass(frozen=True)
class Choices:
    """The present view, less what is only looked at.

    Attributes:
        source: a key of SOURCES, or "own" for a file of weights.
        options: of that source.
        text: what to read.
        place: where the model runs.
        mask, temperature: the controls.
        layer, head: what is looked at, within the model's bounds.
    """

    source: str
    options: Options
    text: Text
    place: Place
    mask: Mask | None
    temperature: float
    layer: int
    head: int

    @property
    def spec(self) -> ModelSpec:
        """Of the chosen model; needs nothing to be loaded."""
        return self.options.spec

    @property
    def stored(self) -> own_store.Stored | None:
        """The weights of a file in place of a model's; None where there is a model."""
        return self.options.stored if isinstance(self.options, own_store.OwnOptions) else None

    @property
    def has_model(self) -> bool:
        """Whether there is a model, that can read other texts and be changed."""
        return self.stored is None

    @property
    def name(self) -> str:
        """The model's, or that of the file."""
        return self.spec.name if self.stored is None else self.stored.name


def current() -> Choices:
    """The choices of this session. The sidebar has put every parameter within its bounds."""
    options = current_options()
    if isinstance(options, own_store.OwnOptions):
        return _of_file(options)
    return Choices(
        source=state.get("source"),
        options=options,
        text=Text(
            state.get("text"), state.get("pair") or None, state.get("cut"), state.get("special"), state.get("edits")
        ),
        place=current_place(),
        mask=_mask(),
        temperature=state.get("temperature"),
        layer=min(state.get("layer"), options.spec.n_layers - 1),
        head=min(state.get("head"), options.spec.n_heads - 1),
    )


def _of_file(options: own_store.OwnOptions) -> Choices:
    """The view of a file of weights, which reads no text of the page and takes no controls."""
    tokens, spec = options.stored.trace.query_tokens, options.spec
    return Choices(
        source=state.get("source"),
        options=options,
        text=Text(tokens.text, tokens.pair, cut=False, read_special=False),
        place=Place(),
        mask=options.stored.trace.controls.mask,
        temperature=options.stored.trace.controls.temperature,
        layer=min(state.get("layer"), spec.n_layers - 1),
        head=min(state.get("head"), spec.n_heads - 1),
    )


def current_options() -> Options:
    """The options of the chosen source.

    Raises:
        MhaVizError: it is a model of the Hub or in a folder, or a file, and not here, or cannot be used.
    """
    if state.is_own():
        return own_store.options(state.get("file"))
    if state.get("source") == "hub":
        if state.get("model") is None:
            raise NotHereError("error.hub_no_name")
        pinned = HubOptions(state.get("model"), state.get("revision")).pinned()
        state.put("revision", pinned.revision)
        return pinned
    if state.get("source") != "toy":
        return options_for(state.get("source"))
    chosen: dict[str, Any] = {"d_model": state.get("d_model"), "n_heads": state.get("heads")}
    return options_for("toy", **chosen, seed=state.get("seed"), weights=state.get("weights"))


def current_place() -> Place:
    """The device and the precision; the toy knows one precision only."""
    return Place(state.get("device"), "float32" if state.get("source") == "toy" else state.get("dtype"))


def current_colour() -> Colour:
    """How weights become colours."""
    return Colour(scale=state.get("scale"), shared=not state.get("own"), palette=state.get("palette"))


def keeps_by_entropy() -> bool:
    """Whether the heads kept depend on a run of the unchanged model."""
    return state.get("source") not in ("toy", parameters.OWN) and state.get("kept") == "entropy"


def controls_of(choices: Choices, unchanged: AttentionTrace | None) -> Controls:
    """The controls of the view.

    Args:
        unchanged: a run without controls, needed if heads are kept by entropy.
    """
    if choices.stored is not None:
        return choices.stored.trace.controls
    silenced: frozenset[HeadId] = frozenset()
    kept = state.get("kept") if choices.source != "toy" else "all"
    if kept == "first":
        silenced = heads_without(choices.spec, range(min(state.get("keep"), choices.spec.n_heads)))
    elif kept == "picked":
        silenced = heads_without(choices.spec, state.get("picked"))
    elif kept == "entropy" and unchanged is not None:
        silenced = heads_beyond(METRICS["entropy"].compute(unchanged), state.get("keep"))
    off = frozenset(heads_off(choices.spec))
    zero = state.get("off_as") == "zero"
    layers, heads = state.get("in_layers"), state.get("in_heads")
    return Controls(
        temperature=choices.temperature,
        mask=choices.mask,
        layers=frozenset(layers) if layers and choices.spec.n_layers > 1 else None,
        heads=frozenset(heads) if heads and choices.source == "toy" else None,
        silenced=silenced | off if zero else silenced,
        uniform=frozenset() if zero else off - silenced,
    )


def heads_off(spec: ModelSpec) -> list[HeadId]:
    """The heads that are switched off one by one; those that the model does not have are left out."""
    found = [named_head(name) for name in state.get("off")]
    return [head for head in found if head.layer < spec.n_layers and head.head < spec.n_heads]


def named_head(name: str) -> HeadId:
    """The head that a parameter writes as "L3H7"."""
    layer, head = name.removeprefix("L").split("H")
    return HeadId(int(layer), int(head))


def head_name(head: HeadId) -> str:
    """A head as parameters write it: "L3H7"."""
    return f"L{head.layer}H{head.head}"


def mask_of(name: str) -> Mask:
    """The mask of a kind with its parameters of the view, as it is or turned round."""
    kind = MASKS[name]
    mask = kind(**{field.name: state.get(parameters.mask_key(name, field.name)) for field in fields(kind)})
    return ~mask if name in state.get("inverted") else mask


def masks_on() -> list[str]:
    """The kinds that are switched on, in the order of MASKS."""
    return [name for name in MASKS if state.get(name)]


def _mask() -> Mask | None:
    how = AnyOf if state.get("join") == "any" else AllOf
    return joined([mask_of(name) for name in masks_on()], how)
