"""Models of transformers. Hugging Face's own words stay in this room."""

from mha_viz.models.huggingface.lean import LEFT_OUT as LEFT_OUT
from mha_viz.models.huggingface.model import HuggingFaceModel as HuggingFaceModel
