"""Nets on texts: equal numbers of parameters, padding and order as they should be, the attention of PyTorch, and learning."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from mha_viz.labs import shuffled, texts, texts_net
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import ShuffledOptions, TextOptions
from mha_viz.labs.texts import Encoded, Training
from mha_viz.labs.texts_data import PAD, Labelled, Split
from mha_viz.labs.texts_net import D_MODEL, HIDDEN, make_net, padded, positions_of
from mha_viz.words import say

SMALL = 40


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Few word vectors: the nets are made at once."""
    monkeypatch.setattr(texts_net, "KNOWN", SMALL)
    monkeypatch.setattr("mha_viz.labs.texts_data.KNOWN", SMALL)


def some(n: int, length: int, seed: int = 0) -> list[list[int]]:
    return np.random.default_rng(seed).integers(1, SMALL, (n, length)).tolist()


def easy(n: int, seed: int) -> list[Labelled]:
    """One of two words decides; the others are noise."""
    draw = np.random.default_rng(seed)
    labels = [at % 2 for at in range(n)]
    fill = [" ".join(f"w{word}" for word in draw.integers(12, size=draw.integers(2, 9))) for _ in labels]
    return [
        Labelled(f"{noise} {('dull', 'fine')[label]} {at}", label)
        for at, (noise, label) in enumerate(zip(fill, labels, strict=True))
    ]


# --- The net -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_layers", [1, 3])
@pytest.mark.parametrize("positions", [True, False])
def test_parameters_are_equal_for_every_number_of_heads(n_layers, positions):
    counts = {n_parameters(make_net(n_heads, n_layers, 0, positions=positions)) for n_heads in (1, 2, 4, 8)}
    layer = 4 * D_MODEL * (D_MODEL + 1) + 2 * D_MODEL * HIDDEN + D_MODEL + HIDDEN + 4 * D_MODEL
    assert counts == {(SMALL + 2) * D_MODEL + n_layers * layer + 2 * D_MODEL + D_MODEL + 1}


def test_one_head_and_eight_begin_with_the_same_numbers():
    one, eight = make_net(1, 2, 5).state_dict(), make_net(8, 2, 5).state_dict()
    assert all(torch.equal(one[name], eight[name]) for name in one)
    assert not torch.equal(one["embedding.weight"], make_net(1, 2, 6).state_dict()["embedding.weight"])


@pytest.mark.parametrize("n_heads", [1, 4])
def test_padding_changes_no_logit(n_heads):
    net = make_net(n_heads, 2, 0).double().eval()
    ids = some(3, 7)
    alone = torch.cat([net(torch.tensor([one])) for one in ids])
    for pads in (1, 10, 200):
        more = torch.full((3, pads), PAD)
        assert (net(torch.cat([torch.tensor(ids), more], dim=1)) - alone).abs().max() < 1e-12
    longer = padded([ids[0], *some(1, 30), ids[1][:1]])
    assert longer.shape == (3, 30)
    assert abs(net(longer)[0] - alone[0]) < 1e-12


def test_only_positions_tell_the_net_in_which_order_words_stand():
    ids = some(5, 12)
    mixed = [one[::-1] for one in ids]
    for positions, least, most in ((False, 0.0, 1e-12), (True, 1e-3, np.inf)):
        net = make_net(4, 2, 0, positions=positions).double().eval()
        changes = (net(torch.tensor(ids)) - net(torch.tensor(mixed))).abs()
        assert least <= changes.min()
        assert changes.max() < most


def test_positions_are_those_of_the_paper():
    table = positions_of(50, 16).double().numpy()
    for position, pair in ((0, 0), (7, 3), (49, 7)):
        angle = position / 10_000 ** (2 * pair / 16)
        assert table[position, 2 * pair : 2 * pair + 2] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-5)


def by_torch(layer: texts_net.Layer, n_heads: int) -> nn.TransformerEncoderLayer:
    """PyTorch's own layer with the same numbers; its attention is nn.MultiheadAttention."""
    own = nn.TransformerEncoderLayer(D_MODEL, n_heads, HIDDEN, 0.0, batch_first=True, norm_first=True).double()
    attention, given = own.self_attn, layer.attention
    parts = (given.query, given.key, given.value)
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        attention.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    attention.out_proj.load_state_dict(given.out.state_dict())
    own.norm1.load_state_dict(layer.before_attention.state_dict())
    own.norm2.load_state_dict(layer.before_forward.state_dict())
    own.linear1.load_state_dict(layer.forward_net[0].state_dict())
    own.linear2.load_state_dict(layer.forward_net[2].state_dict())
    return own.train()  # without dropout, and off the fast path


@pytest.mark.parametrize("n_heads", [1, 2, 8])
def test_a_layer_is_pytorchs_with_the_same_numbers(n_heads):
    layer = texts_net.Layer(D_MODEL, n_heads).double().eval()
    x = torch.randn(3, 6, D_MODEL, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    real = torch.tensor([[True] * 6, [True] * 4 + [False] * 2, [True] + [False] * 5])
    expected = by_torch(layer, n_heads)(x, src_key_padding_mask=~real)
    got = layer(x, real[:, None, None])
    assert (got - expected)[real].abs().max() < 1e-10


# --- Batches and training ------------------------------------------------------------------------------


def test_every_text_is_in_one_batch_and_neighbours_are_of_like_length(monkeypatch):
    monkeypatch.setattr(texts, "BATCH", 8)
    lengths = np.random.default_rng(0).integers(1, 60, 300)
    part = Encoded([[1] * length for length in lengths], torch.zeros(300))
    batches = part.batches(np.random.default_rng(1))
    assert sorted(place for batch in batches for place in batch) == list(range(300))
    spans = [np.ptp(lengths[batch]) for batch in batches]
    assert np.mean(spans) < 10
    assert batches != part.batches(np.random.default_rng(2))


def trained(n_heads: int, seed: int) -> Training:
    training = Training(make_net(n_heads, 1, seed), Split(easy(300, seed), easy(120, 50 + seed)), seed, epochs=6)
    assert list(training.run())[-1] == 1.0
    return training


@pytest.mark.parametrize("n_heads", [1, 8])
def test_it_learns_what_one_word_decides(n_heads):
    course = trained(n_heads, 0).course
    assert course["accuracy"][-1] > 0.9
    assert course["loss"][-1] < course["loss"][0]
    assert {len(values) for values in course.values()} == {6}


def test_a_training_is_that_of_its_seed_whatever_else_draws_numbers():
    first, second = trained(2, 3), Training(make_net(2, 1, 3), Split(easy(300, 3), easy(120, 53)), 3, epochs=6)
    for _ in second.run():
        torch.rand(7)
    same, other = second.course, trained(2, 4).course
    assert {name: values for name, values in first.course.items() if name != "epoch_seconds"} == {
        name: values for name, values in same.items() if name != "epoch_seconds"
    }
    assert first.course["loss"] != other["loss"]


def test_logits_come_back_in_the_order_of_the_texts():
    net = make_net(2, 1, 0).double()
    ids = [*some(3, 9), *some(2, 2, 1), *some(2, 30, 2)]
    got = Encoded(ids, torch.zeros(len(ids))).logits(net)
    with torch.inference_mode():
        alone = [float(net.eval()(torch.tensor([one]))[0]) for one in ids]
    assert got.tolist() == pytest.approx(alone, abs=1e-12)


# --- The labs ------------------------------------------------------------------------------------------


def test_the_lab_gives_a_row_for_words_and_for_every_net(monkeypatch):
    monkeypatch.setattr(texts, "read", lambda data: easy(150, 0))
    options = TextOptions(data=("movies",), heads=(1, 4), seeds=2, epochs=2, examples=150)
    steps = list(texts.run(options))
    rows = [step.row for step in steps if step.row is not None]
    assert [(row["kind"], row.get("heads"), row["seed"]) for row in rows] == [
        (kind, heads, seed) for seed in (0, 1) for kind, heads in (("words", None), ("net", 1), ("net", 4))
    ]
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    nets = [row for row in rows if row["kind"] == "net"]
    assert len({row["parameters"] for row in nets}) == 1
    for row in nets:
        assert row["final"] == row["accuracy"][-1]
        assert row["best_epoch"] == 1 + row["accuracy"].index(max(row["accuracy"]))
    told = str(rows) + str([step.live for step in steps])
    assert "fine" not in told
    assert "dull" not in told


def test_shuffling_changes_nothing_without_positions(monkeypatch):
    monkeypatch.setattr(shuffled, "read", lambda data: easy(150, 0))
    options = ShuffledOptions(heads=2, epochs=2, examples=150)
    on, off = [step.row for step in shuffled.run(options) if step.row is not None]
    assert (on["positions"], off["positions"]) == ("on", "off")
    assert off["difference"] < 1e-12 < 1e-4 < on["difference"]
    assert (off["changed"], off["accuracy"]) == (0, off["accuracy_shuffled"])
    assert abs(off["pair_positive"][0] - off["pair_positive"][1]) == 0


def test_the_two_sentences_have_the_same_words():
    first, second = (say(key).replace(",", " ,").split() for key in shuffled.PAIR)
    assert first != second
    assert sorted(first) == sorted(second)


def test_messages_have_no_opinion(monkeypatch):
    monkeypatch.setattr(shuffled, "read", lambda data: easy(100, 0))
    rows = [step.row for step in shuffled.run(ShuffledOptions(data="sms", heads=1, epochs=1, examples=100))]
    assert not any("pair" in row for row in rows if row)
