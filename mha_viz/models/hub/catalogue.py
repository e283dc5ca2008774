"""The short list of models: each shows something of its own, is small enough for a laptop, and is kept as safetensors."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.words import say


@dataclass(frozen=True)
class Listed:
    """One model of the short list.

    Attributes:
        id: on the Hub, with its owner.
        megabytes: of its weights, about; the true size is asked for before anything is fetched.
        language: "en", "zh", or "many".
        key: "listed.KEY" in the table of words says what it is good for.
    """

    id: str
    megabytes: int
    language: str
    key: str

    @property
    def good_for(self) -> str:
        """One short line."""
        return say(f"listed.{self.key}")


LISTED: tuple[Listed, ...] = (
    Listed("google-bert/bert-base-uncased", 440, "en", "bert"),
    Listed("google-bert/bert-base-chinese", 412, "zh", "bert_chinese"),
    Listed("google-bert/bert-base-multilingual-cased", 714, "many", "bert_multilingual"),
    Listed("distilbert/distilbert-base-uncased", 268, "en", "distilbert"),
    Listed("distilbert/distilbert-base-uncased-finetuned-sst-2-english", 268, "en", "distilbert_sst2"),
    Listed("FacebookAI/roberta-base", 499, "en", "roberta"),
    Listed("albert/albert-base-v2", 47, "en", "albert"),
    Listed("openai-community/gpt2", 548, "en", "gpt2"),
    Listed("distilbert/distilgpt2", 353, "en", "distilgpt2"),
)

#: Before the Hub gave every model an owner these had none; people still type the short names, and old caches hold them.
FULL_NAMES = {listed.id.rsplit("/", 1)[1]: listed.id for listed in LISTED}
