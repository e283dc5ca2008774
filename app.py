"""The entry point: the frame that every page is shown in."""

from mha_viz.ui import frame

frame.run()
