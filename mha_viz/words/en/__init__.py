"""English: what a user reads, by key."""

from mha_viz.words.en.alike import ALIKE
from mha_viz.words.en.analysis import ANALYSIS
from mha_viz.words.en.budget import BUDGET
from mha_viz.words.en.change import CHANGE
from mha_viz.words.en.compared import COMPARED
from mha_viz.words.en.controls import CONTROLS
from mha_viz.words.en.cost import COST
from mha_viz.words.en.depth import DEPTH
from mha_viz.words.en.depth_gradients import DEPTH_GRADIENTS
from mha_viz.words.en.effects import EFFECTS
from mha_viz.words.en.errors import ERRORS
from mha_viz.words.en.examine import EXAMINE
from mha_viz.words.en.export import EXPORT
from mha_viz.words.en.head_count import HEAD_COUNT
from mha_viz.words.en.head_worth import HEAD_WORTH
from mha_viz.words.en.hub import HUB
from mha_viz.words.en.labs import LABS
from mha_viz.words.en.lines import LINES
from mha_viz.words.en.lookups import LOOKUPS
from mha_viz.words.en.matter import MATTER
from mha_viz.words.en.metrics import METRICS
from mha_viz.words.en.models import MODELS
from mha_viz.words.en.one_head import ONE_HEAD
from mha_viz.words.en.overview import OVERVIEW
from mha_viz.words.en.own import OWN
from mha_viz.words.en.pages import PAGES
from mha_viz.words.en.pitfall_claims import PITFALL_CLAIMS
from mha_viz.words.en.pitfall_masks import PITFALL_MASKS
from mha_viz.words.en.pitfall_no_key import PITFALL_NO_KEY
from mha_viz.words.en.pitfall_numbers import PITFALL_NUMBERS
from mha_viz.words.en.pitfall_sources import PITFALL_SOURCES
from mha_viz.words.en.pitfalls import PITFALLS
from mha_viz.words.en.probing import PROBING
from mha_viz.words.en.rounding import ROUNDING
from mha_viz.words.en.sharing import SHARING
from mha_viz.words.en.sparse import SPARSE
from mha_viz.words.en.split_page import SPLIT_PAGE
from mha_viz.words.en.splitting import SPLITTING
from mha_viz.words.en.sweep import SWEEP
from mha_viz.words.en.take_away import TAKE_AWAY
from mha_viz.words.en.texts import TEXTS
from mha_viz.words.en.through import THROUGH
from mha_viz.words.en.tokens_page import TOKENS_PAGE
from mha_viz.words.en.workbench import WORKBENCH

EN: dict[str, str] = {
    **PAGES,
    **CONTROLS,
    **METRICS,
    **OVERVIEW,
    **ONE_HEAD,
    **LINES,
    **TOKENS_PAGE,
    **THROUGH,
    **ANALYSIS,
    **EFFECTS,
    **TAKE_AWAY,
    **CHANGE,
    **WORKBENCH,
    **SPLITTING,
    **SPLIT_PAGE,
    **MODELS,
    **HUB,
    **COMPARED,
    **PROBING,
    **EXPORT,
    **OWN,
    **LABS,
    **HEAD_COUNT,
    **HEAD_WORTH,
    **BUDGET,
    **LOOKUPS,
    **SWEEP,
    **MATTER,
    **ALIKE,
    **TEXTS,
    **SHARING,
    **DEPTH,
    **COST,
    **DEPTH_GRADIENTS,
    **EXAMINE,
    **PITFALLS,
    **PITFALL_NUMBERS,
    **PITFALL_CLAIMS,
    **PITFALL_SOURCES,
    **SPARSE,
    **ROUNDING,
    **PITFALL_MASKS,
    **PITFALL_NO_KEY,
    **ERRORS,
}
