"""The animation as a file: whole, safe and with the layer's own numbers; the sheet as a drawing."""

from __future__ import annotations

import base64
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import mha_viz
from mha_viz.figures import SplittingAnimation, splitting_animation
from mha_viz.figures.animation import View, animation_data, component_script, look
from mha_viz.figures.colour import PALETTES

NASTY = "the </script><b>cat</b> &amp; {head}"


@pytest.fixture(scope="module")
def layer() -> mha_viz.LayerTrace:
    model = mha_viz.open_model("toy", n_heads=4)
    return model.inspect_layer(model.tokenize(NASTY), mha_viz.Controls(mask=mha_viz.Causal()), 0)


def _data(page: str) -> dict:
    (text,) = re.findall(r"<script type='application/json' id='split-data'>(.*?)</script>", page, re.DOTALL)
    return json.loads(text)


def test_a_file_holds_the_numbers_of_the_layer(layer):
    (part,) = _data(splitting_animation(layer, focus=1).to_html())["parts"]
    about = part["payload"]["arrays"]["weights"]
    numbers = np.frombuffer(base64.b64decode(part["bytes"]), dtype="<f4")
    shown = numbers[about["offset"] :][: np.prod(about["shape"])].reshape(about["shape"])
    assert (shown == layer.weights).all()
    assert part["payload"]["query_row"]["position"] == 1


def test_no_text_of_the_user_is_markup_and_nothing_is_fetched(layer):
    page = splitting_animation(layer).to_html()
    assert "<b>cat" not in page
    assert page.count("</script>") == 2
    outside = [address for address in re.findall(r"(?:https?:)?//[\w.]+\.\w+", page) if "w3.org" not in address]
    assert outside == []
    assert "@import" not in page
    assert "eval(" not in page


def test_a_notebook_shows_it_in_a_frame_of_its_own(layer):
    shown = SplittingAnimation(layer)._repr_html_()
    assert shown.startswith("<iframe ")
    assert shown.count("<script") == 0
    assert "sandbox=" in shown


def test_the_sheet_is_a_drawing_of_all_steps(layer):
    svg = splitting_animation(layer).to_svg()
    root = ET.fromstring(svg)
    texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(bool(re.match(r"\d  \w", text)) for text in texts) == 9
    assert "url(#out)" in svg
    assert len(svg) < 3_000_000


def test_every_palette_is_written_as_the_script_reads_it():
    for palette in PALETTES:
        colours = look(palette)
        for name in ("weights", "diverging", "heads"):
            assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours[name])
    assert len(set(look()["heads"])) == 8


def test_the_head_that_is_followed_is_within_the_model(layer):
    assert animation_data([layer], None, View(head=99))["view"]["head"] == 3


def test_places_of_sentences_are_left_to_the_script(layer):
    words = animation_data([layer], None, View())["words"]
    assert "{head}" in words["dots"]
    assert "{sum}" in words["sum"]


def test_the_scripts_are_one_module_with_one_export_and_write_text_only():
    script = component_script()
    assert script.count("export default") == 1
    assert "import " not in re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", script)
