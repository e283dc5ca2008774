"""Which version this is. One place; pyproject.toml and the image's label say the same, and a test compares them."""

#: The project's name, as exports and citations write it.
NAME = "mha_viz"
VERSION = "0.1.0"
#: Of the version, for citations.
YEAR = 2026
