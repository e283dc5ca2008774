"""Every sentence that a user reads stands in the table of words, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha_viz.words.en import EN
from tests.unit import sentences

ROOT = Path(__file__).resolve().parents[2]
KEYS = frozenset(EN)


def sources() -> list[Path]:
    """What a user's text could be written in: the package without its words, the pages and the entry point."""
    files = [path for kind in ("py", "js", "css") for path in (ROOT / "mha_viz").rglob(f"*.{kind}")]
    files = [path for path in files if "words" not in path.relative_to(ROOT).parts]
    return sorted([*files, *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"])


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_is_written_outside_the_table_of_words(path):
    found = sentences.in_file(path, KEYS)
    assert not found, "\n".join(f"{path.name}:{line}: {text!r} belongs into mha_viz/words" for line, text in found)


def test_all_kinds_of_source_are_looked_at():
    names = {path.name for path in sources()}
    assert {"app.py", "heads.py", "trace.py", "clicks.js", "page.css", "grid.py"} <= names
    assert "en.py" not in names


@pytest.mark.parametrize(
    "code",
    [
        'x = "Type a sentence"',
        'x = f"Layer {n} of {total} has no key"',
        'x = f"{n} heads kept"  # a value and two words',
        'raise ValueError("must be positive")',
        'x = "<b>Two words</b>"',
        "x = \"<div title='What this is'></div>\"",
        "x = f\"<div title='Row {n} here now'>{n}</div>\"",
        'st.button("Reset")',
        'left.toggle("Causal", key="causal")',
        'st.text_input(say("sentence.first"), placeholder="optional")',
        'st.selectbox(say("x"), a, help="Choose")',
        'st.set_page_config(page_title="mha")',
        'st.warning("Careful" if bad else say("y"))',
        'st.caption("Head " + name)',
        'st.tabs(["One", "Two"])',
        'figure.add_annotation(text="masked")',
        'layout = {"title": {"text": "weight"}}',
        'go.Heatmap(hovertemplate="query: %{y}<extra></extra>")',
        'x = "输入一句话"',
        'x = "didn\'t work"',
    ],
)
def test_text_for_people_is_found(code):
    assert sentences.in_python(code, KEYS)


@pytest.mark.parametrize(
    "code",
    [
        '"""A description of the module."""',
        'def f():\n    """What it does, in words."""',
        "x = 1  # A comment with words",
        'say("sentence.first")',
        'x = say(f"mask.{name}.help")',
        "st.html(f\"<div class='mha-badge' role='status'>{title}<br><small>{notes}</small></div>\")",
        "x = f\"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {w:g} {h:g}'>{parts}</svg>\"",
        "x = f\"<path d='M0 {step:g}L{step:g} 0' stroke='{colour}'/>\"",
        'st.warning(say("x"), icon=":material/call_split:")',
        'st.plotly_chart(figure, key="grid", theme="streamlit", width="stretch")',
        'x = {"mode": "markers", "anchor": "bottom"}',
        'x = f"L{layer} H{head}"',
        'st.selectbox(say("x"), ["designed", "random"], key="weights")',
        'x = "rgba(255,255,255,.92)"',
        'x = "<span\\nhidden></span>"',
        'go.Heatmap(hovertemplate=say("figure.hover_cell") + "<extra></extra>")',
        'x = "</span>" + y + "<span class=\'mha-word two\'>"',
        'x = f"{value:.1f}%"',
    ],
)
def test_what_is_not_text_for_people_is_left_alone(code):
    assert sentences.in_python(code, KEYS) == []


def test_a_sentence_in_a_script_or_a_style_sheet_is_found():
    script = '// A comment of words\nconst a = ".plot .cell";\nlabel.textContent = `Click ${name} now please`;\n'
    assert sentences.in_javascript(script) == [(3, f"Click {sentences.VALUE} now please")]
    assert sentences.in_javascript("const a = 'No key here'; /* 'not this one' */") == [(1, "No key here")]
    assert sentences.in_css("/* content: 'no words' */\n.a::after { content: 'special'; }") == [(2, "special")]
    assert sentences.in_css(".a::after { content: ''; grid-template-areas: 'head side'; }") == []
