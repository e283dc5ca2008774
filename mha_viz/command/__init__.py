"""What ``python -m mha_viz`` does besides the report of ``doctor``: run a model into a file, and start the app."""
