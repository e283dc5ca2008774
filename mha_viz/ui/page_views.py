"""What each page can show: the values of its choice of a view, the first one first."""

from __future__ import annotations

#: What the page on masks and temperature shows.
VIEWS = ("mask", "temperature", "stages", "difference")

#: What the pages on all heads, on tokens, on one head and on the way through the layers show.
OVERVIEW_VIEWS = ("all", "matrix", "types", "map")
TOKEN_VIEWS = ("token", "find")
HEAD_VIEWS = ("reads", "stages", "vectors")
NORM_SCOPES = ("head", "layer")
THROUGH_VIEWS = ("rollout", "flow", "norms", "average")

#: What the pages on changes and on two runs show.
CHANGE_VIEWS = ("effect", "importance")
COMPARE_VIEWS = ("heads", "overviews", "numbers", "pair")

#: What the pages of the labs show.
HEAD_COUNT_VIEWS = ("budget", "lookups", "texts", "sweep")
HEAD_WORTH_VIEWS = ("matter", "alike", "sharing", "depth")
DEPTH_GRADIENTS_VIEWS = ("stacks", "start", "block")
COST_VIEWS = ("growth", "maps", "precision", "int8")
SPARSE_VIEWS = ("patterns", "buckets", "segments", "speed", "models")
MATTER_PARTS = ("importance", "removing")
DEPTH_PARTS = ("depth", "distil")
