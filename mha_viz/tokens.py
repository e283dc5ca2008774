"""What a model reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mha_viz.errors import InputError, RecordError


@dataclass(frozen=True)
class TokenSequence:
    """What the model reads, one entry a token. A token's identity is its position, never its text.

    Attributes:
        text: the sentence, or the first of two.
        pair: the second sentence, or None.
        tokens: each token as the model writes it ("##ing", "[SEP]").
        ids: each token's number in the model's vocabulary.
        segment_ids: 0 for the first sentence, 1 for the second.
        special: True for tokens the model added ([CLS], [SEP], padding).
        unknown: True for tokens the model has no entry for.
        word_ids: which word of the text a token belongs to; None for special tokens. Words of the second sentence go on
            counting where the first ends.
        surfaces: the slice of the text a token stands for, as typed; "" for special tokens.
        padding: True for tokens that only fill up the sequence; they are never keys.
        cut_from: tokens there were before the sequence was cut to the model's limit; None if it was not.
        numbers: what each entry is counted as, where these are words or some are left out; None for their places.
    """

    text: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    segment_ids: tuple[int, ...]
    special: tuple[bool, ...]
    unknown: tuple[bool, ...]
    word_ids: tuple[int | None, ...]
    surfaces: tuple[str, ...]
    padding: tuple[bool, ...]
    pair: str | None = None
    cut_from: int | None = None
    numbers: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("ids", "segment_ids", "special", "unknown", "word_ids", "surfaces", "padding"):
            if len(getattr(self, name)) != len(self.tokens):
                raise RecordError("error.lengths", what=name, got=len(getattr(self, name)), expected=len(self.tokens))
        if not self.tokens:
            raise InputError("error.empty_text")

    @property
    def n_tokens(self) -> int:
        """How many tokens the model reads, special ones and padding included."""
        return len(self.tokens)

    def number(self, place: int) -> int:
        """What the entry at a place is counted as: its position in what the model read."""
        return place if self.numbers is None else self.numbers[place]

    @property
    def located(self) -> bool:
        """Whether the tokenizer told which part of the text each token stands for."""
        return any(self.surfaces)

    @property
    def unknown_share(self) -> float:
        """Unknown tokens among those that came from the text, 0 to 1."""
        from_text = [unknown for unknown, special in zip(self.unknown, self.special, strict=True) if not special]
        return sum(from_text) / len(from_text) if from_text else 0.0

    def padded(self, length: int, token: str, token_id: int) -> TokenSequence:
        """The same sequence filled up with ``token`` to ``length`` tokens; unchanged if it has as many."""
        more = max(length - self.n_tokens, 0)
        return replace(
            self,
            tokens=self.tokens + (token,) * more,
            ids=self.ids + (token_id,) * more,
            segment_ids=self.segment_ids + (0,) * more,
            special=self.special + (True,) * more,
            unknown=self.unknown + (False,) * more,
            word_ids=self.word_ids + (None,) * more,
            surfaces=self.surfaces + ("",) * more,
            padding=self.padding + (True,) * more,
        )
