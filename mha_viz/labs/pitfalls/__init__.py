"""Claims of tutorials on attention, each tried: a module a pitfall, which computes its verdict in the run that shows it."""
