"""What is said in each step, with this run's numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.splitting.arrays import LARGEST_TEMPERATURE, SMALLEST_TEMPERATURE, scaled_of, share_sizes, shares_of
from mha_viz.trace import LayerTrace
from mha_viz.words import say


class Said(NamedTuple):
    """The texts of one step, as in Step."""

    title: str
    caption: str
    formula: str
    shape: str
    speech: str


class Narrator:
    """Finds the words for a layer.

    Args:
        trace: the layer.
        labels: of its tokens.
        query_row: position of the token whose row is followed.
        focus: the head whose numbers are told.
    """

    def __init__(self, trace: LayerTrace, labels: tuple[str, ...], query_row: int, focus: int) -> None:
        self._trace, self._labels, self._row, self._focus = trace, labels, query_row, focus
        spec = trace.spec
        n_tokens = len(labels)
        self._values: dict[str, object] = {
            "d_model": spec.d_model,
            "d_k": spec.d_k,
            "n_heads": spec.n_heads,
            "n_tokens": n_tokens,
            "tokens": say("splitting.token") if n_tokens == 1 else say("splitting.tokens", n_tokens=n_tokens),
            "rows": spec.n_heads * n_tokens,
            "head": focus,
            "token": self._name(query_row),
            "root": _number(spec.d_k**0.5),
            "scale": _number(trace.scaling),
            "bias": say("splitting.output.bias") if trace.b_O is not None else "",
            "last": spec.n_heads - 1,
        }
        for letter in "QKVO":
            there = getattr(trace, f"b_{letter}") is not None
            self._values[f"b_{letter}"] = say("splitting.with_bias", bias=f"b_{letter}") if there else ""

    def step(self, name: str) -> Said:
        """What is said in a step, one of STEPS."""
        kind, values = self._kind(name), self._values
        formula = (
            say(f"splitting.{name}.formula_{kind}", **values) if kind else say(f"splitting.{name}.formula", **values)
        )
        return Said(
            title=say(f"splitting.{name}.title", **values),
            caption=self._caption(name, kind),
            formula=formula,
            shape=say(f"splitting.{name}.shape", **values),
            speech=getattr(self, f"_speech_{name}")(),
        )

    def _kind(self, name: str) -> str:
        """The ending of a key where a step is told in another way than usual."""
        if name in ("x", "project", "output") and self._trace.x is None:
            return "unknown"
        if name in ("split", "join") and self._trace.spec.n_heads == 1:
            return "one"
        usual = abs(self._trace.scaling * self._trace.spec.d_k**0.5 - 1) < 1e-6
        return "scale" if name == "scores" and not usual else ""

    def _caption(self, name: str, kind: str) -> str:
        told = {"mask": self._caption_mask, "softmax": self._caption_softmax, "weigh": self._caption_weigh}
        if name in told:
            return told[name]()
        values = self._values
        return say(f"splitting.{name}.caption_{kind}", **values) if kind else say(f"splitting.{name}.caption", **values)

    def _say(self, key: str, **values: object) -> str:
        return say(key, **(self._values | values))

    def _name(self, position: int) -> str:
        """A token's label; with its position if another token is called the same."""
        label = self._labels[position]
        return say("splitting.twin", label=label, position=position) if self._labels.count(label) > 1 else label

    def _heads(self, heads: list[int]) -> str:
        return ", ".join(f"L{self._trace.layer} H{head}" for head in heads)

    def _caption_mask(self) -> str:
        trace, hidden = self._trace, int(np.count_nonzero(~self._trace.visible))
        shadow = self._say("splitting.mask.open")
        if hidden:
            shadow = self._say("splitting.mask.hidden", hidden=hidden, cells=trace.visible.size)
        return f"{self._temperature()} {shadow}"

    def _temperature(self) -> str:
        controls, n_heads = self._trace.controls, self._trace.spec.n_heads
        acts = [head for head in range(n_heads) if controls.acts_in(self._trace.layer, head)]
        if not acts or controls.temperature == 1.0:
            return self._say("splitting.mask.plain")
        if controls.temperature < SMALLEST_TEMPERATURE:
            return self._say("splitting.mask.zero")
        if controls.temperature > LARGEST_TEMPERATURE:
            return self._say("splitting.mask.infinity")
        temperature = _number(controls.temperature)
        if len(acts) < n_heads:
            return self._say("splitting.mask.tempered_some", temperature=temperature, heads=self._heads(acts))
        return self._say("splitting.mask.tempered", temperature=temperature)

    def _caption_softmax(self) -> str:
        trace = self._trace
        said = [self._say("splitting.softmax.caption")]
        n_dead = int(np.count_nonzero(~trace.visible.any(axis=-1)))
        if n_dead:
            said.append(self._say("splitting.softmax.dead", n_dead=n_dead))
        even = sorted(head.head for head in trace.controls.uniform if head.layer == trace.layer)
        if even:
            said.append(self._say("splitting.softmax.uniform", heads=self._heads(even)))
        return " ".join(said)

    def _caption_weigh(self) -> str:
        silent = sorted(head.head for head in self._trace.controls.silenced if head.layer == self._trace.layer)
        said = [self._say("splitting.weigh.caption")]
        if silent:
            said.append(self._say("splitting.weigh.silenced", heads=self._heads(silent)))
        return " ".join(said)

    def _speech_x(self) -> str:
        if self._trace.x is None:
            return self._say("splitting.x.speech_unknown")
        return self._say("splitting.x.speech", **_range(self._trace.x))

    def _speech_project(self) -> str:
        trace = self._trace
        return self._say("splitting.project.speech", **_range(np.stack([trace.query, trace.key, trace.value])))

    def _speech_split(self) -> str:
        first = self._focus * self._trace.spec.d_k
        return self._say("splitting.split.speech", first=first, last=first + self._trace.spec.d_k - 1)

    def _speech_scores(self) -> str:
        row = scaled_of(self._trace)[self._focus, self._row]
        best, worst = int(row.argmax()), int(row.argmin())
        return self._say(
            "splitting.scores.speech",
            best=self._name(best),
            most=_number(row[best]),
            worst=self._name(worst),
            least=_number(row[worst]),
        )

    def _speech_mask(self) -> str:
        controls = self._trace.controls
        acts = controls.acts_in(self._trace.layer, self._focus)
        seen = int(np.count_nonzero(self._trace.visible[self._focus, self._row]))
        temperature = _number(controls.temperature if acts else 1.0)
        return self._say("splitting.mask.speech", seen=seen, temperature=temperature)

    def _speech_softmax(self) -> str:
        row = self._trace.weights[self._focus, self._row]
        if not self._trace.visible[self._focus, self._row].any():
            return self._say("splitting.softmax.speech_dead")
        best = int(row.argmax())
        return self._say(
            "splitting.softmax.speech",
            best=self._name(best),
            most=_number(row[best]),
            total=_number(row.sum()),
        )

    def _speech_weigh(self) -> str:
        return self._say("splitting.weigh.speech", **_range(self._trace.head_output[self._focus, self._row]))

    def _speech_join(self) -> str:
        return self._say("splitting.join.speech")

    def _speech_output(self) -> str:
        shares, reach = shares_of(self._trace), _range(self._trace.output)
        if shares is None:
            return self._say("splitting.output.speech_unknown", **reach)
        sizes = share_sizes(shares)
        largest = int(sizes.argmax())
        return self._say(
            "splitting.output.speech",
            **reach,
            largest=largest,
            largest_share=f"{sizes[largest]:.1%}",
            share=f"{sizes[self._focus]:.1%}",
        )


def _range(values: FloatArray) -> dict[str, object]:
    return {"low": _number(values.min()), "high": _number(values.max())}


def _number(value: float) -> str:
    """In at most four figures, with a real minus sign."""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    figures, _, power = f"{float(value):.4g}".partition("e")
    return (f"{figures}e{int(power)}" if power else figures).replace("-", "−")
