"""Probes: sentences with a checked expectation, tried on a model. NumPy only."""

from mha_viz.probes.book import all_probes, parse
from mha_viz.probes.own import own_probe, parse_line
from mha_viz.probes.records import KINDS, Outcome, Probe, same_model
from mha_viz.probes.runner import Run, Subject, all_outcomes, try_probe, try_probes
from mha_viz.probes.told import sentences, summary

__all__ = [
    "KINDS",
    "Outcome",
    "Probe",
    "Run",
    "Subject",
    "all_outcomes",
    "all_probes",
    "own_probe",
    "parse",
    "parse_line",
    "same_model",
    "sentences",
    "summary",
    "try_probe",
    "try_probes",
]
