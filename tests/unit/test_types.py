"""Types of heads: built traces get the type they were built for, each threshold from both sides, even weights none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.sentences import SENTENCES
from mha_viz.analysis.tally import tally
from mha_viz.analysis.types import RULES, TYPES, HeadTypes, Rule, title_of, types_of
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import RecordError
from mha_viz.masks import AcrossSentences, Causal, HideKey, LocalWindow, Padding, WithinSentence
from mha_viz.metrics import METRICS, layers_of, measured
from mha_viz.tokens import TokenSequence
from tests.unit.build import sequence, softmax, trace

N = 20
EDGE = 1e-3  # so far below a threshold a type is lost


def framed(n=N, pair=False, words=None):
    """[CLS] words [SEP], or [CLS] words [SEP] words [SEP]."""
    special = np.zeros(n, dtype=bool)
    special[[0, -1]] = True
    segments = np.zeros(n, dtype=int)
    if pair:
        special[n // 2] = True
        segments[n // 2 + 1 :] = 1
    tokens = ["[S]" if of else (words or {}).get(i, f"w{i}") for i, of in enumerate(special)]
    ids = [None if of else i for i, of in enumerate(special)]
    return sequence(tokens, special=tuple(special.tolist()), word_ids=tuple(ids), segment_ids=tuple(segments.tolist()))


def towards(target: np.ndarray, share: float, visible: np.ndarray | None = None) -> np.ndarray:
    """Each row puts ``share`` evenly on its cells of ``target`` and the rest evenly on its others; (query, key)."""
    visible = np.ones(target.shape, dtype=bool) if visible is None else visible
    target, rest = target & visible, ~target & visible
    parts = [np.divide(of, np.maximum(of.sum(axis=1, keepdims=True), 1)) for of in (target, rest)]
    both = target.any(axis=1, keepdims=True) & rest.any(axis=1, keepdims=True)
    return np.where(both, share * parts[0] + (1 - share) * parts[1], parts[0] + parts[1])


def only(weights: np.ndarray, tokens=None, **changes):
    """Name, strength and even value of the one head that has these weights."""
    found = types_of(trace(tokens or len(weights), weights=weights[None, None], **changes))
    return str(found.names[0, 0]), found.strength[0, 0], found.even[0, 0]


def column(*keys: int, n=N) -> np.ndarray:
    return np.broadcast_to(np.isin(np.arange(n), keys), (n, n))


@pytest.mark.parametrize(("name", "offset"), [("previous", -1), ("next", 1), ("itself", 0)])
def test_half_of_the_weight_at_one_offset_makes_the_type_and_a_little_less_does_not(name, offset):
    """Over the rows that have such a key: of n rows in all, the share of the metric is smaller."""
    target = np.eye(N, k=offset, dtype=bool)
    found, strength, even = only(towards(target, 0.5))
    assert (found, strength, even) == (name, pytest.approx(0.5), pytest.approx(1 / N))
    assert only(towards(target, 0.5 - EDGE))[0] == "mixed"
    in_all_rows = METRICS["self" if offset == 0 else name].compute(trace(N, weights=towards(target, 0.5)[None, None]))
    assert in_all_rows.item() == pytest.approx(0.5 * (N - abs(offset)) / N)


def test_a_perfect_head_for_the_previous_token_has_the_strength_1():
    assert only(towards(np.eye(3, k=-1, dtype=bool), 1.0))[:2] == ("previous", pytest.approx(1.0))


@pytest.mark.parametrize("key", [0, 7, N - 1])
def test_one_key_with_half_of_the_weight_is_a_sink(key):
    assert only(towards(column(key), 0.5)) == ("sink", pytest.approx(0.5), pytest.approx(1 / N))
    assert only(towards(column(key), 0.5 - EDGE))[0] == "mixed"


def test_special_tokens_together_when_no_single_one_is_a_sink():
    tokens = framed()
    assert only(towards(column(0, N - 1), 0.6), tokens) == ("special", pytest.approx(0.6), pytest.approx(2 / N))
    assert only(towards(column(0, N - 1), 0.6 - EDGE), tokens)[0] == "mixed"
    assert only(towards(column(0, N - 1), 0.6), N)[0] == "mixed"  # the same weights where nothing is special
    uneven = 0.9 * towards(column(0), 1.0) + 0.1 * towards(column(N - 1), 1.0)
    assert only(uneven, tokens)[:2] == ("sink", pytest.approx(0.9))


def test_the_same_word_is_looked_for_only_where_it_is_repeated():
    tokens = framed(words={4: "cat", 11: "Cat", 15: "cat"})
    same = np.zeros((N, N), dtype=bool)
    same[np.ix_([4, 11, 15], [4, 11, 15])] = ~np.eye(3, dtype=bool)
    others = towards(np.eye(N, dtype=bool), 0.3)
    rows = same.any(axis=1, keepdims=True)
    weights = np.where(rows, towards(same, 0.5), others)
    assert only(weights, tokens) == ("same_word", pytest.approx(0.5), pytest.approx(2 / N))
    assert only(np.where(rows, towards(same, 0.5 - EDGE), others), tokens)[0] == "mixed"
    alone = np.where(rows, towards(same, 0.5), towards(np.eye(N, dtype=bool), 1.0))
    assert only(alone, tokens)[0] == "same_word"  # though 17 of 20 tokens look at themselves
    assert only(alone, framed())[0] == "itself"  # the same weights where no word is repeated


def own_sentence(tokens) -> np.ndarray:
    segment, plain = np.array(tokens.segment_ids), ~np.array(tokens.special)
    return (segment[:, None] == segment) & plain


def block(tokens, excess: float) -> np.ndarray:
    """Each plain row has ``excess`` more than its even share within its own sentence, each special one less than it.

    Special columns get 0.4 of every row.
    """
    own, plain = own_sentence(tokens), ~np.array(tokens.special)
    n_own, n_plain = own.sum(axis=1, keepdims=True), plain.sum()
    inside = n_own / n_plain + np.where(plain[:, None], excess, -0.3)
    on_plain = np.where(own, inside / n_own, (1 - inside) / (n_plain - n_own)) * plain
    on_special = ~plain / (~plain).sum()
    return 0.6 * on_plain + 0.4 * on_special


def test_a_pair_whose_tokens_stay_in_their_own_sentence_is_a_block():
    tokens = framed(21, pair=True)
    n_own = own_sentence(tokens).sum(axis=1)[~np.array(tokens.special)]
    even = (n_own / 18).mean()
    found, strength, beside = only(block(tokens, 0.25), tokens)
    assert (found, beside) == ("block", pytest.approx(even))
    assert strength == pytest.approx(even + 0.25)
    assert only(block(tokens, 0.25 - EDGE), tokens)[0] != "block"
    assert only(block(tokens, 0.25), framed(21))[0] != "block"  # one sentence has no blocks


def test_a_mask_that_makes_the_blocks_makes_no_block_head():
    tokens = framed(21, pair=True)
    for mask in (WithinSentence(), AcrossSentences()):
        run = trace(tokens, controls=Controls(mask=mask), seed=3)
        assert not (types_of(run).names == "block").any()


def test_weights_of_nearly_the_highest_entropy_are_broad():
    def with_share(wanted: float) -> np.ndarray:
        """Rows of random scores, all of the same entropy share, found by halving."""
        scores, low, high = np.random.default_rng(1).standard_normal((N, N)), np.zeros((N, 1)), np.full((N, 1), 20.0)
        for _ in range(60):
            middle = (low + high) / 2
            odds = np.exp(middle * scores)
            weights = odds / odds.sum(axis=1, keepdims=True)
            share = -(weights * np.log(weights)).sum(axis=1, keepdims=True) / np.log(N)
            low, high = np.where(share > wanted, middle, low), np.where(share > wanted, high, middle)
        return weights

    assert only(with_share(0.9)) == ("broad", pytest.approx(0.9, abs=1e-5), pytest.approx(1.0))
    assert only(with_share(0.9 - EDGE))[0] == "mixed"


@pytest.mark.parametrize(("share", "name"), [(0.999, "mixed"), (1.0, "previous")])
def test_a_share_must_be_twice_what_even_attention_gives(share, name):
    """Under a window of 1 to the left each query but the first has two keys: even attention gives one half."""
    controls = Controls(mask=Causal() & LocalWindow(1))
    visible = np.tri(6, dtype=bool) & ~np.tri(6, k=-2, dtype=bool)
    found, _, even = only(towards(np.eye(6, k=-1, dtype=bool), share, visible), controls=controls)
    assert found == name
    assert np.isnan(even) if name == "mixed" else even == pytest.approx(0.5)


def test_under_a_causal_mask_only_rows_with_a_choice_and_such_a_key_are_looked_at():
    n, controls = 12, Controls(mask=Causal())
    visible = np.tri(n, dtype=bool)
    even = 1 / np.arange(1, n + 1)
    for name, target, expected in [
        ("previous", np.eye(n, k=-1, dtype=bool), even[1:].mean()),
        ("itself", np.eye(n, dtype=bool), even[1:].mean()),
        ("sink", column(0, n=n), even[1:].mean()),
    ]:
        found, strength, beside = only(towards(target, 0.8, visible), controls=controls)
        assert (found, strength, beside) == (name, pytest.approx(0.8), pytest.approx(expected))
    run = trace(n, controls=controls, weights=towards(np.eye(n, k=1, dtype=bool), 1.0, visible)[None, None])
    assert types_of(run).names.item() == "broad"  # no next token is ever allowed, so the rows are even


MASKED = st.sampled_from(
    [
        *(None, Causal(), LocalWindow(0), LocalWindow(1), LocalWindow(2), Padding(1), Padding(3), HideKey(0)),
        *(Causal() & LocalWindow(1), LocalWindow(1) & Padding(2), WithinSentence(), AcrossSentences()),
    ]
)
#: Nothing special, framed by special tokens, a pair, repeated words.
KINDS: dict[str, Callable[[int], TokenSequence]] = {
    "plain": sequence,
    "framed": framed,
    "pair": lambda n: framed(n, pair=True),
    "repeated": lambda n: sequence(["cat"] * n),
    "two words": lambda n: sequence([("cat", "dog")[i % 2] for i in range(n)]),
}


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 16), MASKED, st.integers(0, 2))
def test_even_weights_are_only_ever_broad(kind, n, mask, padding):
    tokens = KINDS[kind](n).padded(n + padding, "[PAD]", 0)
    controls = Controls(mask=mask)
    visible = trace(tokens, controls=controls).visible
    run = trace(tokens, weights=softmax(np.zeros(visible.shape), visible), controls=controls)
    found = types_of(run)
    rows = visible.sum(axis=-1)[:, :, ~run.padding]
    expected = np.where((rows > 1).any(axis=-1), "broad", "")
    assert np.array_equal(found.names, expected)


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 12), MASKED, st.integers(0, 10**6))
def test_every_head_of_random_weights_gets_one_of_the_names(kind, n, mask, seed):
    run = trace(KINDS[kind](n), controls=Controls(mask=mask), seed=seed, n_layers=2, n_heads=3)
    found = types_of(run)
    assert found.names.shape == found.strength.shape == found.even.shape == (2, 3)
    assert set(found.names.ravel().tolist()) <= set(TYPES)
    undecided = np.isin(found.names, ["mixed", ""])
    assert np.array_equal(np.isnan(found.strength), undecided)
    assert np.array_equal(np.isnan(found.even), undecided)
    shares = ~np.isin(found.names, ["mixed", "", "block", "broad"])
    assert (found.strength[shares] >= np.maximum(0.5, 2 * found.even[shares]) - 2e-6).all()


def test_with_no_choice_in_any_row_nothing_can_be_told():
    for run in (
        trace(1),
        trace(4, controls=Controls(mask=LocalWindow(0))),
        trace(3, controls=Controls(mask=Padding(3))),
    ):
        found = types_of(run)
        assert (found.names == "").all()
        assert np.isnan(found.strength).all()


def test_rows_of_padding_and_of_other_heads_change_nothing():
    weights = towards(np.eye(N, k=-1, dtype=bool), 0.5)
    padded = np.zeros((1, 2, N + 3, N + 3))
    padded[0, 0, :N, :N] = weights
    padded[0, 1, :N, :N] = towards(column(3), 0.7)
    padded[..., N:, 0] = 1.0
    found = types_of(trace(sequence(N).padded(N + 3, "[PAD]", 0), weights=padded))
    assert found.names.tolist() == [["previous", "sink"]]
    assert found.strength[0] == pytest.approx([0.5, 0.7])


def test_a_mask_in_one_head_of_one_layer_is_seen_there_alone():
    controls = Controls(mask=LocalWindow(0), layers=frozenset({1}), heads=frozenset({0}))
    visible = trace(5, n_layers=2, controls=controls).visible
    run = trace(5, weights=softmax(np.zeros(visible.shape), visible), controls=controls)
    assert types_of(run).names.tolist() == [["broad", "broad"], ["", "broad"]]


def test_rows_that_the_metrics_have_summed_give_the_same_types():
    run = trace(framed(21, pair=True), n_layers=2, n_heads=3, seed=9)
    rows = layers_of(run)
    measured(run, rows=rows)
    shared, alone = types_of(run, rows=rows), types_of(run)
    assert np.array_equal(shared.names, alone.names)
    np.testing.assert_array_equal(shared.strength, alone.strength)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_holds_at_its_threshold_and_not_below_and_not_without_a_number(rule: Rule):
    even = np.array([0.1])
    at = rule.threshold + (0.1 if rule.kind == "above" else 0.0)
    assert rule.holds(np.array([at]), even).all()
    assert not rule.holds(np.array([at - EDGE]), even).any()
    assert not rule.holds(np.array([np.nan]), even).any()
    twice = rule.holds(np.array([0.95]), np.array([0.6]))
    assert twice.item() == (rule.kind != "share")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_says_its_thresholds_and_its_source(rule: Rule):
    assert f"{rule.threshold:g}" in rule.sentence
    assert rule.sentence.endswith(".")
    assert rule.source.endswith(".")
    assert rule.metric is None or rule.metric in METRICS


@pytest.mark.parametrize("name", TYPES)
def test_every_type_has_a_title(name):
    assert title_of(name)


def types(*names: str) -> HeadTypes:
    of = np.array([names])
    return HeadTypes(of, np.zeros(of.shape), np.zeros(of.shape))


def test_a_tally_counts_the_most_frequent_type_of_each_head():
    counted = tally([types("sink", "mixed"), types("sink", "next"), types("broad", "previous"), types("sink", "mixed")])
    assert counted.names.tolist() == [["sink", "mixed"]]
    assert counted.agreement.tolist() == [[0.75, 0.5]]
    assert counted.n_sentences == 4
    assert counted.counts.shape == (len(TYPES), 1, 2)
    assert counted.counts[TYPES.index("sink")].tolist() == [[3, 0]]
    assert counted.counts[TYPES.index("previous")].tolist() == [[0, 1]]
    assert (counted.counts.sum(axis=0) == 4).all()


def test_of_equally_frequent_types_the_first_of_the_list_is_named():
    assert tally([types("mixed"), types("next")]).names.item() == "next"


def test_nothing_to_count_and_heads_of_different_models_are_refused():
    with pytest.raises(RecordError, match="at least"):
        tally([])
    with pytest.raises(RecordError):
        tally([types("sink"), types("sink", "sink")])


def test_the_set_of_sentences_is_what_it_says():
    assert len(SENTENCES) == len(set(SENTENCES)) == 24
    assert sum(item.pair is not None for item in SENTENCES) == 6
    assert sum(item.text.endswith("?") for item in SENTENCES) >= 3
    for item in SENTENCES:
        words = item.text.split() + (item.pair or "").split()
        assert 6 <= len(words) <= 25
        assert item.text.isascii()
        assert "\t" not in item.text


def test_a_uniform_control_makes_a_head_broad():
    controls = Controls(uniform=frozenset({HeadId(0, 1)}))
    weights = np.stack([towards(column(0), 0.9), np.full((N, N), 1 / N)])[None]
    assert types_of(trace(N, weights=weights, controls=controls)).names.tolist() == [["sink", "broad"]]
