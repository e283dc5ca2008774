"""Probes tried on runs whose weights are known: what holds, where, how strongly, how much is luck, and what is untried."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mha_viz.analysis.work import finished
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.masks import Causal
from mha_viz.probes import Probe, Subject, all_outcomes, sentences, summary, try_probe, try_probes
from mha_viz.probes.measure import at_offset
from mha_viz.probes.places import Word
from mha_viz.probes.records import MarginClaim, MeaningClaim, MetricClaim, OffsetClaim, PairClaim
from tests.unit.build import sequence, trace

SENTENCE = "ann saw bob and cy left"
N = 6
BERT = Subject("some-model")


def weights(*heads: dict[tuple[int, int], float], n: int = N) -> np.ndarray:
    """(1, head, query, key): what is given in the cells named, the rest of each row even over the other keys."""
    made = np.empty((1, len(heads), n, n))
    for head, cells in enumerate(heads):
        for query in range(n):
            given_here = {key: share for (asking, key), share in cells.items() if asking == query}
            made[0, head, query] = (1 - sum(given_here.values())) / (n - len(given_here))
            for key, share in given_here.items():
                made[0, head, query, key] = share
    return made


def runner(made: np.ndarray | None = None, **changes: Any):
    """Runs that read words between blanks; full stops are no part of them."""

    def run(text: str, pair: str | None):
        return trace(sequence(text.split()), weights=made, **changes)

    return run


def probe(claim, sentence: str = SENTENCE, **changes: Any) -> Probe:
    return Probe(
        **({"id": "x", "kind": "own", "sentence": sentence, "claim": claim, "text": "t", "source": "s"} | changes)
    )


def pair(query: str = "left", key: str = "bob", **changes: Any) -> PairClaim:
    return PairClaim(Word(query), (Word(key),), **({"times": 3.0} | changes))


def test_a_pair_that_holds_is_found_with_its_head_weight_chance_and_rank():
    found = try_probe(probe(pair(among=0.25)), runner(weights({}, {(5, 2): 0.75}, {(5, 2): 0.6})), BERT)
    assert (found.verdict, found.title, found.reason) == ("holds", "holds", "")
    assert found.measured == pytest.approx(0.75 * 6)
    assert found.expected == 3.0
    assert [strength.head for strength in found.strongest] == [HeadId(0, 1), HeadId(0, 2)]
    best = found.strongest[0]
    assert (best.value, best.times) == pytest.approx((0.75, 4.5))
    assert best.rank == 1
    assert found.head == HeadId(0, 1)
    assert found.n_heads == 3
    assert found.luck == (1, 30)
    assert found.same_offset == (1, 3)  # 5 -> 2, 4 -> 1, 3 -> 0
    told = " ".join(sentences(found))
    for part in ("L0 H1", "some-model", "0.750", "4.5 times chance", "number 1"):
        assert part in told


def test_a_pair_that_is_weak_does_not_hold_and_its_best_head_is_told_all_the_same():
    found = try_probe(probe(pair()), runner(weights({}, {(5, 2): 0.4})), BERT)
    assert (found.verdict, found.shortfalls) == ("not", ("below",))
    assert found.measured == pytest.approx(2.4)
    assert [strength.head for strength in found.strongest] == [HeadId(0, 1)]
    assert "less than expected" in " ".join(sentences(found))


def test_exactly_what_is_expected_is_enough():
    assert try_probe(probe(pair(times=4.5)), runner(weights({(5, 2): 0.75})), BERT).verdict == "holds"
    assert try_probe(probe(pair(times=4.51)), runner(weights({(5, 2): 0.75})), BERT).verdict == "not"


def test_a_pair_that_many_others_surpass_is_luck():
    loud = {(query, (query + 1) % N): 0.9 for query in range(N)}
    made = weights(loud, {(query, (query + 2) % N): 0.9 for query in range(N)}, {(5, 2): 0.75})
    found = try_probe(probe(pair(among=0.25)), runner(made), BERT)
    assert (found.verdict, found.shortfalls) == ("not", ("common",))
    assert found.luck == (13, 30)
    assert try_probe(probe(pair()), runner(made), BERT).verdict == "holds"  # it was not asked how common that is


def test_a_rival_with_more_in_its_best_head_wins():
    claim = pair(over=Word("ann"))
    assert try_probe(probe(claim), runner(weights({(5, 2): 0.75}, {(5, 0): 0.7})), BERT).verdict == "holds"
    found = try_probe(probe(claim), runner(weights({(5, 2): 0.75}, {(5, 0): 0.8})), BERT)
    assert (found.verdict, found.shortfalls) == ("not", ("rival",))


def test_a_head_named_in_a_paper_is_looked_at_alone():
    made = weights({(5, 2): 0.9}, {(5, 2): 0.4, (5, 0): 0.5})
    claim = pair(head=HeadId(0, 1), times=2.0, top=True)
    found = try_probe(probe(claim, model="org/some-model"), runner(made), BERT)
    assert (found.verdict, found.shortfalls) == ("not", ("not_top",))
    assert (found.head, found.n_heads) == (HeadId(0, 1), 1)
    assert found.measured == pytest.approx(2.4)
    good = try_probe(probe(replace(claim, head=HeadId(0, 0))), runner(made), BERT)
    assert good.verdict == "holds"


def test_special_tokens_do_not_count_for_the_top_but_do_for_the_rank():
    tokens = sequence(["[CLS]", *SENTENCE.split()], special=(True, *[False] * N), word_ids=(None, *range(N)))
    made = weights({(6, 3): 0.3, (6, 0): 0.6}, n=N + 1)
    found = try_probe(probe(pair(times=2.0, top=True)), lambda text, second: trace(tokens, weights=made), BERT)
    assert found.verdict == "holds"
    assert found.strongest[0].rank == 2
    assert found.measured == pytest.approx(0.3 * 7)
    assert found.luck is not None
    assert found.luck.n == 30  # no pair with [CLS]


def test_several_keys_are_added_and_so_is_their_chance():
    claim = PairClaim(Word("left"), (Word("ann"), Word("bob")), 2.0)
    found = try_probe(probe(claim), runner(weights({(5, 0): 0.4, (5, 2): 0.4})), BERT)
    assert found.measured == pytest.approx(0.8 * 6 / 2)
    assert found.strongest[0].value == pytest.approx(0.8)
    assert found.same_offset is None


OTHER = "ann saw bob and cy stayed"
MARGIN = MarginClaim(Word("left"), Word("bob"), OTHER, 0.3, other_query=Word("stayed"))


def of_both(here: np.ndarray, there: np.ndarray):
    return lambda text, second: trace(sequence(text.split()), weights=here if text == SENTENCE else there)


def test_a_minimal_pair_holds_if_one_head_gives_enough_more():
    here, there = weights({(5, 2): 0.9}, {(5, 2): 0.6}), weights({(5, 2): 0.9}, {(5, 2): 0.2})
    found = try_probe(probe(MARGIN), of_both(here, there), BERT)
    assert (found.verdict, found.head) == ("holds", HeadId(0, 1))
    assert found.measured == pytest.approx(0.4)
    assert found.luck == (1, 30)
    assert "0.4 more weight here" in " ".join(sentences(found))
    turned = try_probe(probe(MARGIN), of_both(there, here), BERT)
    assert (turned.verdict, turned.shortfalls) == ("not", ("below",))
    assert turned.measured == pytest.approx(0.0, abs=1e-6)


def test_a_minimal_pair_in_which_everything_moves_is_luck():
    moving = {(query, (query + 1) % N): 0.9 for query in range(N)}
    here, there = weights(moving, {(5, 2): 0.6}), weights({}, {(5, 2): 0.2})
    found = try_probe(probe(replace(MARGIN, among=0.15)), of_both(here, there), BERT)
    assert found.luck == (7, 30)
    assert found.shortfalls == ("common",)


def test_a_metric_must_reach_its_share_and_twice_what_even_attention_gives():
    back = weights({(query, query - 1): 0.8 for query in range(1, N)}, {})
    found = try_probe(probe(MetricClaim("previous", 0.5)), runner(back), BERT)
    assert (found.verdict, found.head) == ("holds", HeadId(0, 0))
    assert found.measured == pytest.approx(5 * 0.8 / 6)
    two = lambda text, second: trace(sequence(text.split()), weights=np.full((1, 1, 2, 2), 0.5))  # noqa: E731
    even = try_probe(probe(MetricClaim("first", 0.5), "a b"), two, BERT)
    assert (even.verdict, even.shortfalls) == ("not", ("even",))
    low = try_probe(probe(MetricClaim("previous", 0.7)), runner(back), BERT)
    assert low.shortfalls == ("below",)


def test_layers_are_held_to_the_mean_of_their_heads():
    made = np.concatenate([weights({}, {}), weights({(q, 0): 0.9 for q in range(N)}, {(q, 0): 0.5 for q in range(N)})])
    assert try_probe(probe(MetricClaim("first", 0.69, (1,))), runner(made), BERT).measured == pytest.approx(0.7)
    found = try_probe(probe(MetricClaim("first", 0.6, (0, 1))), runner(made), BERT)
    assert found.verdict == "not"
    assert found.measured == pytest.approx(1 / 6)
    assert "L0, L1" in " ".join(sentences(found))
    beyond = try_probe(probe(MetricClaim("first", 0.6, (2,))), runner(made), BERT)
    assert (beyond.verdict, "0 to 1" in beyond.reason) == ("untried", True)


def test_an_offset_is_counted_over_the_words_that_have_such_a_neighbour():
    made = weights({(1, 0): 0.9, (2, 1): 0.9, (3, 2): 0.9, (4, 3): 0.9, (5, 0): 0.9}, {})
    assert at_offset(trace(N, weights=made), -1)[0, 0] == pytest.approx(4 / 5)
    found = try_probe(probe(OffsetClaim(-1, 0.8)), runner(made), BERT)
    assert (found.verdict, found.head) == ("holds", HeadId(0, 0))
    assert try_probe(probe(OffsetClaim(-1, 0.81)), runner(made), BERT).verdict == "not"
    assert try_probe(probe(OffsetClaim(-6, 0.5)), runner(made), BERT).verdict == "untried"
    hidden = trace(N, controls=Controls(mask=Causal()))
    assert np.isnan(at_offset(hidden, 1)).all()


MEANING = MeaningClaim(Word("bob"), "bob and cy", "so bob left")


def of_outputs(vectors: dict[str, list[float]]):
    """bob's output in each sentence; all other words have 0."""

    def run(text: str, second: str | None):
        tokens = sequence(text.split())
        output = np.zeros((tokens.n_tokens, 8), dtype=np.float32)
        output[tokens.tokens.index("bob"), :2] = vectors[text]
        return trace(tokens, output=output)

    return run


def test_meanings_are_compared_by_the_cosine_of_outputs():
    vectors = {SENTENCE: [1.0, 0.0], MEANING.other: [0.0, 2.0], MEANING.same: [3.0, 3.0]}
    found = try_probe(probe(MEANING), of_outputs(vectors), BERT)
    assert found.verdict == "holds"
    assert found.measured == pytest.approx(np.sqrt(0.5))
    assert len(found.contexts) == 2
    assert {word.word for word in found.contexts[1]} == {"and", "cy"}
    assert found.contexts[0][0].weight >= found.contexts[0][1].weight
    turned = {SENTENCE: [1.0, 0.0], MEANING.other: [1.0, 0.0], MEANING.same: [1.0, 1.0]}
    assert try_probe(probe(MEANING), of_outputs(turned), BERT).verdict == "not"
    nothing = {text: [0.0, 0.0] for text in vectors}
    assert try_probe(probe(MEANING), of_outputs(nothing), BERT).verdict == "untried"


def unknown(text: str, second: str | None):
    words = text.split()
    return trace(sequence(words, unknown=tuple(word == "bob" for word in words)))


def never(text: str, second: str | None):
    raise AssertionError("not to be run")


def refusing(text: str, second: str | None):
    raise InputError("error.empty_text")


UNTRIED = {
    "toy": (probe(pair()), never, Subject("Toy", toy=True), "learnt no language"),
    "another model's head": (probe(pair(head=HeadId(0, 0)), model="bert"), never, BERT, "some-model has others"),
    "another model's layers": (
        probe(MetricClaim("sep", 0.5, (0,)), model="bert"),
        never,
        BERT,
        "some-model has others",
    ),
    "no such head": (probe(pair(head=HeadId(7, 10)), model="some-model"), runner(), BERT, "no L7 H10"),
    "unknown word": (probe(pair()), unknown, BERT, "does not know bob"),
    "unknown words around it": (
        probe(pair("ann", "cy")),
        lambda text, second: trace(sequence(text.split(), unknown=(False, True, True, True, False, False))),
        BERT,
        "does not know 50 %",
    ),
    "not its tokens": (
        probe(pair()),
        lambda text, second: trace(sequence(["annsawbob", "left"])),
        BERT,
        "make up just bob",
    ),
    "hidden": (probe(pair("ann", "left")), runner(controls=Controls(mask=Causal())), BERT, "does not let ann"),
    "no value": (probe(MetricClaim("sep", 0.5)), runner(), BERT, "no value"),
    "it fails": (probe(pair()), refusing, BERT, "could not be run"),
}


@pytest.mark.parametrize("name", UNTRIED)
def test_what_cannot_be_tried_says_why_and_never_fails(name):
    tried, run, subject, why = UNTRIED[name]
    found = try_probe(tried, run, subject)
    assert (found.verdict, found.title) == ("untried", "untried")
    assert why in found.reason
    assert sentences(found) == [found.reason]
    assert found.strongest == ()
    assert np.isnan(found.measured)


def test_a_mistake_of_the_program_is_not_hidden():
    with pytest.raises(AssertionError, match="not to be run"):
        try_probe(probe(pair()), never, BERT)


def test_published_for_one_model_and_run_on_another_is_said():
    run = runner(weights({(5, 2): 0.75}))
    assert "Published for bert, run on some-model" in " ".join(
        sentences(try_probe(probe(pair(), model="bert"), run, BERT))
    )
    for model in (None, "org/Some-Model"):
        assert "Published" not in " ".join(sentences(try_probe(probe(pair(), model=model), run, BERT)))


def test_the_work_says_how_far_it_is_and_the_summary_counts():
    run = runner(weights({(5, 2): 0.75}))
    probes = [probe(pair()), probe(pair(times=5.0)), UNTRIED["another model's head"][0], probe(pair())]
    assert list(try_probes(probes, run, BERT)) == [0.25, 0.5, 0.75, 1.0]
    outcomes = finished(try_probes(probes, run, BERT))
    assert [one.verdict for one in outcomes] == ["holds", "not", "untried", "holds"]
    assert summary(outcomes) == "2 hold, 1 do not, 1 could not be tried here."
    assert all_outcomes([], run, BERT) == ()
