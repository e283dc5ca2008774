"""The checks of a module: right ones pass, and each wrong one fails at what is wrong with it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from mha_viz.labs.examine.base import CHECKS, OURS, far
from mha_viz.labs.examine.checks import examine
from mha_viz.labs.examine.make import make
from mha_viz.labs.examine.ours import ours
from mha_viz.words import say
from tests.models.examined import right, wrong


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def found(thing, text=""):
    """Each check's finding."""
    findings = {check: finding for check, finding in examine(lambda: make(thing, text)) if finding is not None}
    assert tuple(findings) == CHECKS
    return findings


def outcomes(findings, outcome):
    return {check for check, finding in findings.items() if finding.outcome == outcome}


#: What a right module has not, and cannot be checked.
NO_MASK = {"masks", "polarity", "no_key", "batch_heads"}
RIGHT = {
    right.Attention: set(),
    right.SelfAttention: set(),
    right.LengthFirst: set(),
    right.ValuesFirst: set(),
    right.Packed: {*NO_MASK, "rows"},
    right.Interleaved: NO_MASK,
    right.Grouped: {*NO_MASK, "rows"},
    right.GroupedInTurn: {*NO_MASK, "rows"},
    right.GroupedPacked: {*NO_MASK, "rows"},
    right.Matrices: NO_MASK,
    right.HeadByHead: NO_MASK,
    right.Added: set(),
    right.made: set(),
    right.READY: set(),
}


@pytest.mark.parametrize(("thing", "missing"), RIGHT.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_a_right_module_fails_nothing_and_only_what_it_has_not_is_not_possible(thing, missing):
    findings = found(thing)
    assert {check: str(findings[check].why) for check in outcomes(findings, "failed")} == {}
    assert outcomes(findings, "impossible") == missing


#: What fails, and nothing else does.
WRONG = {
    wrong.MaskIgnored: {"masks"},
    wrong.MaskOfOnes: {"masks"},
    wrong.WeakMask: {"masks"},
    wrong.Inverted: {"polarity"},
    wrong.PaddingShows: {"polarity"},
    wrong.AddedInSilence: {"polarity"},
    wrong.WithoutKeyNaN: {"no_key"},
    wrong.WithoutKeyEven: {"no_key"},
    wrong.WithoutKeyRefused: {"no_key"},
    wrong.ReachesWrongHeads: {"batch_heads"},
    wrong.OverQueries: {"rows", "parity"},
    wrong.OverHeads: {"rows", "parity"},
    wrong.ScaledAfter: {"rows", "parity"},
    wrong.NoScale: {"parity"},
    wrong.ScaledTwice: {"parity"},
    wrong.NotMerged: {"parity"},
    wrong.Detached: {"gradients"},
    wrong.KeysDetached: {"gradients"},
    wrong.TooLargeForHalf: {"float16"},
    wrong.OverflowsInHalf: {"float16"},
    wrong.FixedDtype: {"float16", "bfloat16", "device"},
    wrong.FixedDevice: {"device"},
    wrong.AlwaysDrops: {"repeat"},
    wrong.OtherInTraining: {"training"},
    wrong.FixedLength: {"shapes"},
    wrong.ScoresNormed: {"called"},
    wrong.OtherWidth: {"shapes"},
    wrong.MixesSamples: {"shapes", "batch_heads", "parity"},
}


@pytest.mark.parametrize(("thing", "fails"), WRONG.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_a_wrong_module_fails_at_what_is_wrong_with_it_and_is_told_what_to_do(thing, fails):
    findings = found(thing)
    assert {check: str(findings[check].why) for check in outcomes(findings, "failed")}.keys() == fails
    for check in fails:
        assert say(findings[check].todo).endswith(".")


@pytest.mark.parametrize(
    ("thing", "check", "said"),
    [
        (wrong.ReachesWrongHeads, "batch_heads", "(batch, L, L)"),
        (wrong.OverQueries, "rows", "over the queries"),
        (wrong.OverHeads, "rows", "over the heads"),
        (wrong.NoScale, "parity", "is missing"),
        (wrong.ScaledTwice, "parity", "twice"),
        (wrong.KeysDetached, "gradients", "w_k.weight"),
        (wrong.Detached, "gradients", "w_o.weight"),
        (wrong.TooLargeForHalf, "float16", "wrong.py:"),
        (wrong.WithoutKeyRefused, "no_key", "ValueError: a query has no key (wrong.py:"),
        (wrong.WithoutKeyEven, "no_key", "reads all keys"),
        (wrong.FixedDevice, "device", "cpu + meta"),
        (wrong.FixedLength, "shapes", "(1, 16, 32)"),
        (right.Interleaved, "parity", "one by one"),
        (right.Grouped, "parity", "Heads of keys and values: 2,"),
        (right.GroupedInTurn, "parity", "Heads of keys and values: 2,"),
        (right.GroupedPacked, "parity", "Heads of keys and values: 1,"),
        (
            wrong.WideValues,
            "parity",
            "were found, but their shapes do not fit 4 heads on d_model 32: w_q.weight (32, 32)",
        ),
        (right.Head, "parity", "Not found among its parameters: W_O. It has: query.weight"),
        (wrong.MergedFlat, "parity", "merged without transposing"),
        (wrong.MergedFlatOfThree, "parity", "merged without transposing"),
        (wrong.CausalMergedFlat, "parity", "merged without transposing"),
        (wrong.SplitFlat, "parity", "view(batch, heads, token, d_k)"),
        (wrong.SplitAndMergedFlat, "parity", "view(batch, heads, token, d_k)"),
        (wrong.OverQueries, "parity", "over the queries"),
        (wrong.OverHeads, "parity", "over the heads"),
        (wrong.NotMerged, "parity", "Taken were w_q.weight"),
        (right.Packed, "called", "later tokens are never read"),
        (right.Packed, "parity", "c_attn.weight, c_proj.weight"),
        (right.LengthFirst, "called", "tokens first"),
        (right.SelfAttention, "polarity", "hides: attn_mask"),
        (right.Attention, "polarity", "shows: mask"),
        (right.Added, "polarity", "scores: attention_mask"),
        (right.ValuesFirst, "masks", "key_padding_mask (batch, L)"),
        (right.HeadByHead, "called", "n_heads=4, d_model=32"),
    ],
)
def test_it_says_what_was_found(thing, check, said):
    if torch.cuda.is_available():
        said = said.replace("meta", "cuda")
    assert said in str(found(thing)[check].why)


@pytest.mark.parametrize(
    ("thing", "todo"),
    [
        (wrong.MergedFlat, "masks_mixed"),
        (wrong.SplitFlat, "masks_mixed"),
        (wrong.SplitFlatOfTwo, "masks_mixed"),
        (wrong.OverQueriesUnmasked, "masks_rows"),
        (wrong.MaskIgnored, "masks"),
        (wrong.MaskOfOnes, "masks"),
        (wrong.WeakMask, "masks"),
    ],
)
def test_a_mask_that_hides_nothing_gets_the_advice_that_fits(thing, todo):
    masks = found(thing)["masks"]
    assert (masks.outcome, masks.todo) == ("failed", f"examine.todo.{todo}")


def test_pytorch_s_module_passes_everything_but_a_query_without_a_key():
    findings = found(nn.MultiheadAttention, "embed_dim=24, num_heads=3, dropout=0.1")
    assert outcomes(findings, "failed") == {"no_key"}
    assert outcomes(findings, "impossible") == set()
    assert "NaN" in str(findings["no_key"].why)
    assert "tokens first" in str(findings["called"].why)


@pytest.mark.parametrize(("thing", "text"), [(nn.Linear, "32, 32"), (nn.Identity, "")])
def test_a_layer_that_attends_to_nothing_is_no_attention(thing, text):
    """Shapes alone would let it pass."""
    findings = found(thing, text)
    assert outcomes(findings, "failed") == {"called"}
    assert "no token reads another" in str(findings["called"].why)
    assert findings["shapes"].outcome == "passed"
    assert outcomes(findings, "impossible") >= {*NO_MASK, "rows", "parity"}


def test_what_cannot_be_called_is_told_once():
    findings = found(wrong.HeadsLeft)
    assert outcomes(findings, "failed") == {"called"}
    assert outcomes(findings, "impossible") == {*CHECKS[1:]}
    assert "(3, 4, 5, 8)" in str(findings["called"].why)


def test_what_is_no_module_is_told():
    assert "NoModule is no torch.nn.Module" in str(found(wrong.NoModule)["called"].why)
    assert "int is no" in str(found(3)["called"].why)


@pytest.mark.parametrize("text", ["16, 2", "d_model=16, n_heads=2", '{"d_model": 16, "n_heads": 2}', "[16, 2]"])
def test_arguments_are_read_as_in_a_call_and_as_json(text):
    assert "d_model 16, heads 2" in str(found(right.Attention, text)["called"].why)


@pytest.mark.parametrize("text", ["__import__('os').getcwd()", "d_model=", "{", "*[1]", "x"])
def test_arguments_that_are_no_literals_are_not_run(text):
    assert text in str(found(right.Attention, text)["called"].why)


def test_arguments_that_do_not_fit_are_told_with_the_error():
    why = str(found(right.Attention, "d_model=16, n=2")["called"].why)
    assert "d_model=16, n=2" in why
    assert "TypeError" in why


@pytest.mark.parametrize("name", OURS)
def test_what_comes_with_the_app_fails_only_where_it_is_known_to(name):
    _, made = ours(name)
    findings = {check: finding for check, finding in examine(lambda: made) if finding is not None}
    assert (
        outcomes(findings, "failed")
        == {
            "torch": {"no_key"},
            "toy": {"float16", "gradients"},  # scores set by hand, far beyond those of training
            "minilm": set(),
        }[name]
    )
    assert outcomes(findings, "impossible") == set()


def test_the_wrapped_layer_of_minilm_is_that_of_the_network():
    """Its output before the residual connection, against transformers' own layer."""
    from transformers import AutoModel

    from mha_viz.models.packaged import model_folder

    network = AutoModel.from_pretrained(model_folder(), attn_implementation="eager").eval()
    layer, module = network.encoder.layer[0].attention, ours("minilm")[1].module.eval()
    x = torch.randn(2, 6, network.config.hidden_size, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(module(x)[0], layer.output.dense(layer.self(x)[0]), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("text", ["33, 4", "d_model=33, n_heads=4"])
@pytest.mark.parametrize("thing", [right.Attention, wrong.RefusesWidths])
def test_heads_that_do_not_divide_d_model_are_told_in_the_advice(thing, text):
    called = found(thing, text)["called"]
    assert (called.outcome, called.todo) == ("failed", "examine.todo.divides")


def test_other_errors_of_a_call_keep_their_advice():
    assert found(wrong.RefusesWidths, "32, 4, 1")["called"].todo == "examine.todo.made"
    assert found(wrong.ScoresNormed)["called"].todo == "examine.todo.call"


def test_a_number_of_heads_that_nothing_says_is_no_question_mark():
    why = str(found(nn.Identity)["batch_heads"].why)
    assert "?" not in why
    assert "Nothing says how many heads" in why


def test_an_argument_named_mask_does_not_stutter():
    assert "A mask of shape (batch, L, L) in the argument mask is" in str(
        found(wrong.ReachesWrongHeads)["batch_heads"].why
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (2.2, "2.2"),
        (0.68, "0.68"),
        (0.0012, "0.0012"),
        (123.4, "123"),
        (5.1e-16, "5.1e-16"),
        (4e5, "4.0e+05"),
    ],
)
def test_a_difference_is_written_without_powers_where_it_can_be(number, text):
    assert far(number) == text
