"""The cards of the page of pitfalls, a file each."""
