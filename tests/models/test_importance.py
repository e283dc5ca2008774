"""Importance of heads: against the reference arrays, against Hugging Face with W_O edited, and against finite differences."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch
import transformers
from scipy.stats import spearmanr

import mha_viz
from mha_viz.analysis.agreement import rank_agreement
from mha_viz.analysis.importance import keep_most, mean_weights, order_of
from mha_viz.analysis.sentences import Item
from mha_viz.analysis.work import Partly, finished
from mha_viz.controls import Controls, HeadId
from mha_viz.edits import Edits, MaskToken
from mha_viz.errors import InputError
from mha_viz.labs.importance import ablation_importance, gradient_importance, removal_curve
from mha_viz.labs.losses import LOSSES, losses_of, masked_sample, samples_of
from mha_viz.models.huggingface import HuggingFaceModel
from tests.models import families
from tests.models.test_gates import OWN_W_O, scale_head
from tests.refs import arrays, tokens

PAIRS = [Item(*pair) for pair in tokens("d")["pairs"]]
ITEMS = [Item("the cat sat on the mat."), Item("it was a dog, playing")]
WITH_SECOND = [Item("the cat sat on the mat.", "a dog sat on the mat"), Item("it was a dog", "it was the cat!")]
HOWS = ["zero", "uniform"]


def eager_pair_loss(eager, first, second) -> float:
    """1 - cosine of the means, by Hugging Face and NumPy alone."""
    one, other = (eager.run(read)[1].astype(np.float64).mean(axis=0) for read in (first, second))
    return 1 - float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.fixture(scope="module")
def pairs(minilm):
    return samples_of(minilm, PAIRS, "pair")


@pytest.fixture(scope="module")
def gradient(minilm, pairs):
    return finished(gradient_importance(minilm, pairs))


@pytest.fixture(scope="module")
def ablations(minilm, pairs):
    return {how: finished(ablation_importance(minilm, pairs, how)) for how in HOWS}


@pytest.mark.model
def test_gradients_equal_the_reference(gradient):
    reference = arrays("d")
    assert np.abs(gradient.base - reference["importance/base_loss"]).max() <= 1e-6
    largest = np.abs(reference["importance/dL_dgate"]).max()
    assert np.abs(gradient.per_sample - reference["importance/dL_dgate"]).max() <= 1e-5 * largest
    expected = reference["importance/I_h"]
    assert (np.abs(gradient.values - expected) <= 1e-3 * expected).all()
    assert not np.allclose(gradient.values, np.abs(gradient.signed), rtol=0.1)  # the absolute value is inside the mean


@pytest.mark.model
def test_published_ranks_are_met(gradient, ablations):
    """0.913, and the three heads that matter most: measured before by others on the same four pairs."""
    agreement = rank_agreement(gradient.values, ablations["zero"].values)
    assert agreement == pytest.approx(0.913, abs=0.002)
    assert agreement == pytest.approx(spearmanr(gradient.values.ravel(), ablations["zero"].values.ravel()).statistic)
    assert order_of(gradient.values)[:3] == ((5, 8), (5, 10), (5, 5))
    assert np.sort(gradient.values.ravel())[::-1][:3].round(3).tolist() == [0.05, 0.025, 0.023]
    assert order_of(ablations["zero"].values)[0] == (5, 8)
    assert order_of(ablations["uniform"].values)[0] == (3, 4)


@pytest.mark.model
def test_silencing_and_evening_are_different_experiments(minilm, ablations):
    assert rank_agreement(ablations["zero"].values, ablations["uniform"].values) < 0.6
    item = Item("A man is playing a guitar on the stage.", "Someone performs music for an audience.")
    sample = samples_of(minilm, [item], "turned")
    zero, uniform = (finished(ablation_importance(minilm, sample, how)) for how in HOWS)
    assert rank_agreement(zero.values, uniform.values) == pytest.approx(0.525, abs=0.01)
    assert [order_of(measured.values)[0] for measured in (zero, uniform)] == [(5, 5), (3, 4)]


@pytest.mark.model
@pytest.mark.parametrize("how", HOWS)
def test_an_ablation_equals_hugging_face_with_its_matrices_edited(eager_minilm, pairs, ablations, how):
    measured, d_k = ablations[how], 32
    for layer, head in [(0, 9), (1, 3), (2, 0), (3, 4), (4, 2), (5, 5), (5, 8), (5, 11)]:
        attention = eager_minilm.model.encoder.layer[layer].attention
        edited = attention.output.dense if how == "zero" else attention.self.query
        kept = [parameter.detach().clone() for parameter in edited.parameters()]
        own = slice(head * d_k, (head + 1) * d_k)
        with torch.no_grad():
            if how == "zero":
                edited.weight[:, own] = 0
            else:  # equal scores
                edited.weight[own] = 0
                edited.bias[own] = 0
        without = [eager_pair_loss(eager_minilm, *sample.read) for sample in pairs]
        with torch.no_grad():
            for parameter, old in zip(edited.parameters(), kept, strict=True):
                parameter.copy_(old)
        expected = np.array(without) - measured.base
        assert np.abs(measured.per_sample[:, layer, head] - expected).max() <= 2e-6
    base = [eager_pair_loss(eager_minilm, *sample.read) for sample in pairs]
    assert np.abs(measured.base - base).max() <= 2e-6


@pytest.mark.model
def test_the_mean_weight_is_the_same_for_every_head(minilm, pairs, gradient):
    naive = mean_weights([minilm.run(sample.read[0]) for sample in pairs])
    lengths = [sample.read[0].n_tokens for sample in pairs]
    assert np.abs(naive.per_sample - (1 / np.array(lengths))[:, None, None]).max() <= 1e-7
    assert np.isnan(rank_agreement(naive.values, gradient.values))


@pytest.mark.model
def test_the_curve_begins_whole_and_the_important_first_lose_most(minilm, pairs, gradient):
    curves = {
        order: finished(removal_curve(minilm, pairs, order_of(gradient.values, order), step=9))
        for order in ("most", "least", "random")
    }
    for curve in curves.values():
        assert curve.removed.tolist() == [*range(0, 72, 9), 72]
        assert np.abs(curve.cosine[:, 0] - 1).max() <= 1e-12
        assert np.abs(curve.loss[:, 0] - gradient.base).max() <= 1e-6
    assert np.abs(curves["most"].cosine[:, -1] - curves["least"].cosine[:, -1]).max() <= 1e-6
    middle = {order: curve.mean_cosine[1:-1].mean() for order, curve in curves.items()}
    assert middle["most"] < middle["random"] < middle["least"]
    first, last = curves["most"].lost_at(0.9), curves["least"].lost_at(0.9)
    assert first is not None
    assert last is not None
    assert first < last
    kept = keep_most(gradient.values, 72 - 9)
    assert kept.silenced == frozenset(order_of(gradient.values, "least")[:9])
    before, after = (minilm.run(pairs[0].read[0], controls).output.mean(axis=0) for controls in (Controls(), kept))
    first_of_pair = float(before @ after / np.linalg.norm(before) / np.linalg.norm(after))
    before, after = (minilm.run(pairs[0].read[1], controls).output.mean(axis=0) for controls in (Controls(), kept))
    second = float(before @ after / np.linalg.norm(before) / np.linalg.norm(after))
    assert curves["least"].cosine[0, 1] == pytest.approx((first_of_pair + second) / 2, abs=1e-5)


def items_for(loss: str) -> list[Item]:
    return WITH_SECOND if loss == "pair" else ITEMS


@pytest.mark.parametrize("name", OWN_W_O)
def test_gradients_equal_finite_differences_of_w_o(tmp_path, name):
    """A gate scales the head's output, and so does scaling what W_O makes of it. Five points, in double precision."""
    model = HuggingFaceModel(families.save(tmp_path, name), name)
    model.dtype = torch.float64
    model._network.double()
    step = 0.005
    for loss in losses_of(model)[:-1]:
        samples = samples_of(model, items_for(loss), loss, most_words=2)
        measured = finished(gradient_importance(model, samples))
        size = np.abs(measured.per_sample).max()
        assert size > 1e-4
        for layer, head in np.ndindex(model.spec.shape):
            slope = np.zeros(len(samples))
            for steps, share in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
                factor = 1 + steps * step
                scale_head(model._merges[layer], head, model.spec.d_k, factor)
                slope += share * np.array([float(sample.measure(sample.run(model, Controls()))) for sample in samples])
                scale_head(model._merges[layer], head, model.spec.d_k, 1 / factor)
            slope /= 12 * step
            assert np.abs(measured.per_sample[:, layer, head] - slope).max() <= 1e-3 * size + 1e-4


@pytest.mark.parametrize(
    "name", ["toy", "tiny", "bert masked", "bert classes", "distilbert classes", "albert", "llama"]
)
@pytest.mark.parametrize("how", HOWS)
def test_an_ablation_is_the_difference_of_two_runs(request, name, how):
    opened = {
        "toy": lambda: mha_viz.open_model("toy", n_heads=2),
        "tiny": lambda: request.getfixturevalue("tiny_model"),
    }
    model = opened.get(name, lambda: request.getfixturevalue("family")(name))()
    for loss in losses_of(model):
        samples = samples_of(model, items_for(loss), loss, most_words=1)
        measured = finished(ablation_importance(model, samples, how))
        assert measured.measured.all()
        assert measured.values.max() > 1e-6
        head = HeadId(model.spec.n_layers - 1, 1)
        controls = Controls(silenced=frozenset({head})) if how == "zero" else Controls(uniform=frozenset({head}))
        for turn, sample in enumerate(samples):
            with_it, without = (float(sample.measure(sample.run(model, now))) for now in (Controls(), controls))
            assert measured.per_sample[turn, head.layer, head.head] == pytest.approx(without - with_it, abs=1e-7)


def test_a_masked_word_costs_what_hugging_face_says(tmp_path):
    folder = families.save(tmp_path, "bert masked")
    ours = HuggingFaceModel(folder, "bert masked")
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    read = ours.tokenize("the cat sat on the mat")
    samples = samples_of(ours, [Item("the cat sat on the mat")], "masked")
    assert [sample.position for sample in samples] == list(range(1, 7))
    measured = finished(gradient_importance(ours, samples))
    for turn, sample in enumerate(samples):
        ids = torch.tensor([read.ids])
        assert sample.position is not None
        ids[0, sample.position] = 4
        with torch.inference_mode():
            logits = theirs(ids).logits[0, sample.position].double()
        expected = -torch.log_softmax(logits, 0)[read.ids[sample.position]]
        assert measured.base[turn] == pytest.approx(float(expected), abs=1e-5)


@pytest.mark.parametrize("name", ["bert classes", "distilbert classes"])
def test_the_class_loss_is_of_the_class_the_model_chose(family, name):
    model = family(name)
    samples = samples_of(model, ITEMS, "class")
    measured = finished(gradient_importance(model, samples))
    for turn, sample in enumerate(samples):
        logits = model.run(sample.read[0]).answer.logits[0].astype(np.float64)
        odds = np.exp(logits - logits.max())
        assert measured.base[turn] == pytest.approx(-np.log(odds.max() / odds.sum()), abs=1e-6)


def test_which_losses_a_model_has(family, tiny_model):
    assert losses_of(family("bert masked"))[0] == "masked"
    assert losses_of(family("roberta"))[0] == "masked"
    assert losses_of(family("bert classes"))[0] == "class"
    for model in (tiny_model, family("gpt2"), family("electra"), mha_viz.open_model("toy")):
        assert losses_of(model) == ("pair", "even", "turned")
    assert set(losses_of(family("bert classes"))) | {"masked"} == set(LOSSES)


def test_what_cannot_be_measured_is_said(family, tiny_model):
    with pytest.raises(InputError, match=r"masked cannot be measured on tiny\. It has: pair, even, turned"):
        samples_of(tiny_model, ITEMS, "masked")
    with pytest.raises(InputError, match="masked"):
        masked_sample(tiny_model, tiny_model.tokenize("the cat"), 1)
    with pytest.raises(InputError, match="second sentence"):
        samples_of(tiny_model, ITEMS, "pair")
    with pytest.raises(InputError, match="no token to measure"):
        samples_of(family("bert masked"), [Item("zebra zebra")], "masked")
    turned = samples_of(tiny_model, ITEMS, "turned")
    with pytest.raises(InputError, match="no slope"):
        gradient_importance(tiny_model, turned)
    mixed = [*turned, *samples_of(tiny_model, ITEMS, "even")]
    for samples in ([], mixed):
        for begin in (gradient_importance, ablation_importance):
            with pytest.raises(InputError, match="one loss"):
                begin(tiny_model, samples)
    with pytest.raises(InputError, match=r"cannot be taken out by melting\. There are: zero, uniform"):
        ablation_importance(tiny_model, turned, "melting")
    with pytest.raises(InputError, match="at least 1"):
        removal_curve(tiny_model, turned, [HeadId(0, 0)], step=0)
    with pytest.raises(InputError, match="L9 H0"):
        removal_curve(tiny_model, turned, [HeadId(9, 0)])


def test_with_eight_gaps_the_ninth_gets_no_answer(family):
    model = family("bert masked")
    read = model.tokenize("the cat sat on the mat the cat sat on the mat")
    gaps = model.edited(read, Edits(tuple(MaskToken(at) for at in range(1, 9))))
    with pytest.raises(InputError, match="first 8 masked"):
        masked_sample(model, gaps, 10)
    assert masked_sample(model, model.edited(read, Edits((MaskToken(1),))), 2).position == 2


def test_the_loss_to_even_attention_has_a_slope_and_a_single_token_none():
    toy = mha_viz.open_model("toy", d_model=32, n_heads=4)
    measured = finished(gradient_importance(toy, samples_of(toy, ITEMS, "even")))
    assert (measured.values > 1e-5).any()
    alone = finished(gradient_importance(toy, samples_of(toy, [Item("cat")], "even")))
    assert alone.values.max() <= 1e-6
    flat = finished(ablation_importance(toy, samples_of(toy, ITEMS, "turned"), "zero"))
    assert np.abs(flat.base).max() <= 1e-6


def test_stopped_work_keeps_what_is_done(tiny_model):
    samples = samples_of(tiny_model, ITEMS, "turned")
    whole = finished(ablation_importance(tiny_model, samples))
    total = 2 * 7  # 2 samples, 6 heads and the whole model
    shares = [float(share) for share in ablation_importance(tiny_model, samples)]
    assert shares == pytest.approx([(turn + 1) / total for turn in range(total)])
    for n_runs in range(1, total + 1):
        part = list(islice(ablation_importance(tiny_model, samples), n_runs))[-1]
        assert isinstance(part, Partly)
        done = part.result.measured
        assert int(done.sum()) == max(n_runs // 2 - 1, 0)
        assert np.array_equal(part.result.values[done], whole.values[done])
    even = samples_of(tiny_model, ITEMS, "even")
    first = next(gradient_importance(tiny_model, even))
    assert isinstance(first, Partly)
    assert first == 0.5
    assert first.result.n_samples == 1


def test_a_stopped_curve_ends_where_it_was_stopped(tiny_model):
    samples = samples_of(tiny_model, ITEMS, "turned")
    heads = order_of(np.arange(6.0).reshape(3, 2))
    whole = finished(removal_curve(tiny_model, samples, heads, step=4))
    assert whole.removed.tolist() == [0, 4, 6]
    shares = list(removal_curve(tiny_model, samples, heads, step=4))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    steps = [len(share.result.removed) for share in shares if isinstance(share, Partly)]
    assert steps == [1, 1, 2, 2, 3]
    part = shares[2]
    assert isinstance(part, Partly)
    assert np.array_equal(part.result.loss, whole.loss[:, :2])
    assert np.allclose(whole.loss, 1 - whole.cosine, atol=1e-6)  # of this loss one is the other


def test_a_toy_without_heads_has_nothing_left():
    toy = mha_viz.open_model("toy", n_heads=2)
    curve = finished(removal_curve(toy, samples_of(toy, ITEMS, "even"), [HeadId(0, 0), HeadId(0, 1)]))
    assert curve.mean_cosine[-1] == 0
    assert np.allclose(curve.loss[:, -1], 1)
    even = finished(removal_curve(toy, samples_of(toy, ITEMS, "even"), [HeadId(0, 0), HeadId(0, 1)], "uniform"))
    assert even.loss[:, -1] == pytest.approx(0, abs=1e-6)


def test_controls_hold_during_the_measurement(tiny_model):
    samples = samples_of(tiny_model, ITEMS, "turned")
    gone = Controls(silenced=frozenset({HeadId(0, 0)}))
    measured = finished(ablation_importance(tiny_model, samples, controls=gone))
    assert measured.values[0, 0] == 0
    assert measured.base.min() > 1e-6
    curve = finished(removal_curve(tiny_model, samples, [HeadId(1, 0)], controls=gone))
    assert curve.loss[:, 0] == pytest.approx(measured.base)
