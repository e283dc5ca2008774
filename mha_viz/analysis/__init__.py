"""What is made of a run after it: readings, types of heads, distances, flows. NumPy only."""
