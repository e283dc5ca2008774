"""English: what a user reads, by key."""

from mha_viz.words.en.controls import CONTROLS
from mha_viz.words.en.errors import ERRORS
from mha_viz.words.en.hub import HUB
from mha_viz.words.en.models import MODELS
from mha_viz.words.en.pages import PAGES
from mha_viz.words.en.split_page import SPLIT_PAGE
from mha_viz.words.en.splitting import SPLITTING
from mha_viz.words.en.workbench import WORKBENCH

EN: dict[str, str] = {**PAGES, **CONTROLS, **WORKBENCH, **SPLITTING, **SPLIT_PAGE, **MODELS, **HUB, **ERRORS}
