"""The file of probes and the probes that people write: each word is in its sentence, each claim has a source, errors help."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.metrics import METRICS
from mha_viz.probes import KINDS, all_probes, own_probe, parse, parse_line, same_model
from mha_viz.probes.places import Word, occurrences, word_of
from mha_viz.probes.records import MeaningClaim, MetricClaim, PairClaim

PROBES = all_probes()
#: Heads of Table 1 and of the section on coreference as the paper writes them, and counted from 0.
CLARK = {
    "8-11": (7, 10),
    "8-10": (7, 9),
    "4-10": (3, 9),
    "7-6": (6, 5),
    "9-6": (8, 5),
    "6-7": (5, 6),
    "5-4": (4, 3),
}


def test_there_are_probes_of_every_kind():
    assert 20 <= len(PROBES) <= 40
    assert {probe.kind for probe in PROBES} == set(KINDS) - {"own"}
    assert max(Counter(probe.id for probe in PROBES).values()) == 1


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_probe_says_what_it_claims_and_where_that_comes_from(probe):
    assert probe.text.endswith(".")
    assert len(probe.source) >= 4
    assert probe.title
    # What was published has a model or says that the claim itself is ours.
    assert probe.model or "urs" in probe.source
    if isinstance(probe.claim, MetricClaim):
        assert METRICS[probe.claim.metric].unit == "share"


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_word_is_in_its_sentence_once_or_is_numbered(probe):
    claim = probe.claim
    if isinstance(claim, PairClaim):
        texts = [probe.sentence, probe.pair or ""]
        words = [claim.query, *claim.keys, *([claim.over] if claim.over else [])]
        for word in words:
            n = sum(text.casefold().count(word.text.casefold()) for text in texts)
            assert n >= (word.nth or 1)
    if isinstance(claim, MeaningClaim):
        for text in (probe.sentence, claim.other, claim.same):
            assert occurrences([text], claim.word.text) == 1


def test_heads_of_papers_count_from_1_and_ours_from_0():
    named = [probe for probe in PROBES if getattr(probe.claim, "head", None)]
    assert {probe.published_head for probe in named} == set(CLARK)
    for probe in named:
        assert isinstance(probe.claim, PairClaim)
        assert probe.claim.head == HeadId(*CLARK[probe.published_head])
        assert probe.published_head in probe.text
        assert probe.model == "bert-base-uncased"


def test_no_rival_stands_beside_its_query():
    """A head that always looks at the neighbour would decide."""
    for probe in PROBES:
        claim = probe.claim
        if isinstance(claim, PairClaim) and claim.over is not None:
            query, rival = claim.query.text, claim.over.text
            assert not re.search(rf"{query}\W*{rival}|{rival}\W*{query}", probe.sentence)


def test_all_pairs_are_held_to_the_same_numbers():
    pairs = [probe.claim for probe in PROBES if isinstance(probe.claim, PairClaim)]
    assert {(claim.times, claim.among) for claim in pairs if claim.head is None} == {(3.0, 0.25)}
    assert {(claim.times, claim.among, claim.top) for claim in pairs if claim.head} == {(2.0, None, True)}


ENTRY = """
[sources]
ours = "Ours"
[[probe]]
id = "a"
kind = "object"
claim = "pair"
sentence = "The cat saw the dog."
query = "cat"
keys = ["dog"]
times = 2
text = "A claim."
source = "ours"
"""


def test_an_entry_becomes_a_probe():
    (probe,) = parse(ENTRY + 'where = "here"\nhead = "2-3"\nmodel = "m"\n')
    assert probe.claim == PairClaim(Word("cat"), (Word("dog"),), 2, head=HeadId(1, 2))
    assert (probe.source, probe.model, probe.published_head) == ("Ours: here", "m", "2-3")
    assert parse("") == ()


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("times = 2", "times = "), ["cannot be read", "line"]),
        (('id = "a"', ""), ["no id"]),
        (('text = "A claim."', ""), ["probe a has no text"]),
        (("times = 2", ""), ["no times"]),
        (("times = 2", "times = 2\ncolour = 1"), ["colour", "among", "query"]),
        (('"pair"', '"par"'), ["par", "margin", "meaning"]),
        (('source = "ours"', 'source = "his"'), ["his", "ours"]),
        (('kind = "object"', 'kind = "thing"'), ["thing", "agreement"]),
        (("times = 2", 'times = 2\nhead = "0-3"'), ["0-3", "8-11"]),
        (("times = 2", 'times = 2\nhead = "L3 H1"'), ["L3 H1"]),
        (('query = "cat"', 'query = "cow"'), ["cow", "The cat saw the dog."]),
        (('query = "cat"', 'query = "the"'), ["2 times", "the#1, the#2"]),
        (('query = "cat"', 'query = "the#3"'), ["Number 3", "1 to 2"]),
    ],
)
def test_a_mistake_in_the_file_is_named(change, parts):
    with pytest.raises(InputError) as caught:
        parse(ENTRY.replace(*change))
    for part in parts:
        assert part in str(caught.value)


def test_two_probes_of_one_name_are_refused():
    with pytest.raises(InputError, match="called a"):
        parse(ENTRY + ENTRY[ENTRY.index("[[probe]]") :])


def test_a_line_becomes_a_probe():
    probe = parse_line(" The cat saw a cat. | cat#2 -> cat#1 | 2.5 ")
    assert isinstance(probe.claim, PairClaim)
    assert (probe.sentence, probe.kind, probe.model) == ("The cat saw a cat.", "own", None)
    assert probe.claim == PairClaim(Word("cat", 2), (Word("cat", 1),), 2.5)
    assert "2.5 times chance from cat#2 to cat#1" in probe.text
    plain = parse_line("The cat saw the dog. | dog -> CAT")
    assert isinstance(plain.claim, PairClaim)
    assert plain.claim.times == 2.0
    of_pair = own_probe("A cat.", "cat#2", "cat#1", pair="The cat.")
    assert of_pair.pair == "The cat."


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("The cat saw the dog.", ["cannot be read", "sentence | "]),
        ("The cat | cat dog | 2", ["cannot be read"]),
        ("The cat | cat -> the -> cat", ["cannot be read"]),
        ("a | b | c | d", ["cannot be read"]),
        (" | cat -> dog", ["needs a sentence"]),
        ("The cat | cat -> ", ["Fill in all three"]),
        ("The cat | cat -> dog", ["dog", "not in the sentence"]),
        ("The cats | the -> cat", ["Whole words"]),
        ("The cat saw the dog | the -> cat", ["2 times", "the#1, the#2"]),
        ("The cat saw the dog | the#3 -> cat", ["Number 3"]),
        ("The cat | the -> cat | many", ["many", "above 0"]),
        ("The cat | the -> cat | -1", ["above 0"]),
        ("The cat | the -> cat | nan", ["above 0"]),
        ("The cat | the -> cat | inf", ["above 0"]),
        ("The cat | cat -> Cat#1", ["two different"]),
    ],
)
def test_a_line_that_cannot_be_read_says_what_to_write(line, parts):
    with pytest.raises(InputError) as caught:
        parse_line(line)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("written", "word"),
    [("cat", Word("cat")), (" cat#2 ", Word("cat", 2)), ("C#", Word("C#")), ("#1", Word("#1")), ("a#b", Word("a#b"))],
)
def test_words_are_written_with_their_number(written, word):
    assert word_of(written) == word
    assert word_of(str(word)) == word


def test_words_are_counted_whole_except_in_scripts_without_blanks():
    assert occurrences(["The cat, the cats; CAT"], "cat") == 2
    assert occurrences(["我吃苹果，苹果好"], "苹果") == 2
    assert occurrences(["didn't", "didn"], "didn't") == 1
    assert occurrences(["a.b axb"], "a.b") == 1
    assert occurrences(["a"], "") == 0


def test_a_models_name_may_have_its_owner_before_it():
    assert same_model("bert-base-uncased", "google-bert/bert-base-uncased")
    assert not same_model("bert-base-uncased", "google-bert/bert-base-cased")
