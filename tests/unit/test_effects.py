"""What a change did to an answer: probabilities, embeddings and sentences, from runs made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from mha_viz.analysis.effects import cosine, effect_of, mean_pooled
from mha_viz.controls import Controls
from mha_viz.errors import RecordError
from mha_viz.masks import Padding
from mha_viz.trace import Answer
from tests.unit.build import sequence, trace

ONE = np.array([[1.0, 0, 0, 0, 0, 0, 0, 0], [3.0, 4.0, 0, 0, 0, 0, 0, 0]], dtype=np.float32)
OTHER = np.array([[0, 2.0, 0, 0, 0, 0, 0, 0], [0, 6.0, 0, 0, 0, 0, 0, 0]], dtype=np.float32)


def name(number: int) -> str:
    return f"n{number}"


def no_name(number: int) -> str:
    raise AssertionError(number)


def run(output=ONE, answer=None, **changes):
    return trace(2, output=output, answer=answer, **changes)


def said(kind: str, logits: list[list[float]], positions: tuple[int, ...] = ()) -> Answer:
    return Answer(kind, positions, np.array(logits, dtype=np.float32))


def test_the_embedding_is_the_mean_of_all_tokens_and_the_effect_its_turn():
    effect = effect_of(run(ONE), run(OTHER), no_name).embedding
    assert effect.before[:2].tolist() == [2.0, 2.0]
    assert effect.after[:2].tolist() == [0.0, 4.0]
    assert effect.difference[:2].tolist() == [-2.0, 2.0]
    assert effect.cosine == pytest.approx(np.sqrt(0.5))
    assert "0.7071" in effect.sentence


def test_an_embedding_that_did_not_change_and_one_that_is_gone_are_told():
    same = effect_of(run(), run(), no_name).embedding
    assert same.cosine == pytest.approx(1)
    assert same.sentence == "The embedding of the sentence did not change."
    gone = effect_of(run(), run(np.zeros_like(ONE)), no_name).embedding
    assert np.isnan(gone.cosine)
    assert "it is 0" in gone.sentence


def test_padding_is_left_out_of_the_embedding():
    padded = sequence(1).padded(2, "[PAD]", 0)
    assert mean_pooled(trace(padded, output=ONE))[:2].tolist() == [1.0, 0.0]
    assert mean_pooled(run(controls=Controls(mask=Padding(1))))[:2].tolist() == [1.0, 0.0]
    assert not mean_pooled(run(controls=Controls(mask=Padding(2)))).any()


def test_vectors_of_different_lengths_have_no_cosine():
    with pytest.raises(RecordError):
        cosine(np.ones(2), np.ones(3))


def test_the_likeliest_fills_of_both_runs_stand_once_with_both_probabilities():
    before = said("tokens", [[2.0, 1.0, 0.0, -1.0]], (1,))
    after = said("tokens", [[-1.0, 0.0, 3.0, 1.0]], (1,))
    (fill,) = effect_of(run(answer=before), run(answer=after), name, most=2).fills
    assert (fill.position_before, fill.position_after) == (1, 1)
    assert [chance.name for chance in fill.fills] == ["n2", "n3", "n1", "n0"]
    p_before, p_after = softmax([2.0, 1.0, 0.0, -1.0]), softmax([-1.0, 0.0, 3.0, 1.0])
    for chance in fill.fills:
        assert chance.before == pytest.approx(p_before[chance.number])
        assert chance.after == pytest.approx(p_after[chance.number])
        assert chance.difference == pytest.approx(p_after[chance.number] - p_before[chance.number])
    assert fill.sentence == "Token 1 was most likely n0 (0.644); now it is n2 (0.831)."


def test_an_answer_that_stays_is_told_so():
    before, after = said("tokens", [[5.0, 1.0]], (0,)), said("tokens", [[4.0, 1.0]], (0,))
    (fill,) = effect_of(run(answer=before), run(answer=after), name).fills
    assert fill.sentence == "Token 0 is still most likely n0: 0.982 before, 0.953 now."


def test_gaps_are_matched_in_their_order_and_not_at_all_if_there_are_more_of_them():
    two = said("tokens", [[1.0, 0.0], [0.0, 1.0]], (0, 1))
    one = said("tokens", [[1.0, 0.0]], (1,))
    assert effect_of(run(answer=two), run(answer=one), name).fills == ()
    assert effect_of(run(answer=None), run(answer=one), name).fills == ()
    other = said("tokens", [[1.0, 0.0]], (0,))
    (fill,) = effect_of(run(answer=one), run(answer=other), name).fills
    assert (fill.position_before, fill.position_after) == (1, 0)


def test_classes_of_the_model_itself():
    effect = effect_of(
        run(answer=said("classes", [[0.0, 1.0, 2.0]])), run(answer=said("classes", [[2.0, 1.0, 0.0]])), name
    )
    assert effect.classes is not None
    assert [chance.name for chance in effect.classes.classes] == ["n0", "n1", "n2"]
    assert [chance.before for chance in effect.classes.classes] == pytest.approx(softmax([0.0, 1.0, 2.0]))
    assert [chance.after for chance in effect.classes.classes] == pytest.approx(softmax([2.0, 1.0, 0.0]))
    assert sum(chance.difference for chance in effect.classes.classes) == pytest.approx(0)
    assert effect.classes.sentence == "The class was n2 (0.665); now it is n0 (0.665)."
    assert effect.fills == ()


def test_a_single_number_is_no_choice_between_classes():
    answer = said("classes", [[3.0]])
    assert effect_of(run(answer=answer), run(answer=answer), no_name).classes is None


class ByFirstNumber:
    """A classifier of two classes."""

    names = ("low", "high")

    def probabilities(self, embedding):
        share = embedding[0] / 4
        return np.array([1 - share, share])


def test_classes_by_a_classifier_for_a_model_that_tells_none():
    effect = effect_of(run(ONE), run(OTHER), no_name, classifier=ByFirstNumber())
    assert effect.classes is not None
    assert [(chance.name, chance.before, chance.after) for chance in effect.classes.classes] == [
        ("low", 0.5, 1.0),
        ("high", 0.5, 0.0),
    ]
    assert effect.classes.sentence == "The class is still low: 0.500 before, 1.000 now."


def test_runs_of_two_models_are_not_compared():
    with pytest.raises(RecordError, match="runs of one model"):
        effect_of(run(), trace(2, n_layers=2, output=ONE), no_name)
