"""English: the page of pitfalls, what all cards have in common."""

PITFALLS: dict[str, str] = {
    "page.pitfalls": "Pitfalls",
    "page.pitfalls.door": "Try what tutorials claim",
    "page.pitfalls.help": "Claims of tutorials on attention, each tried in front of you: what happens, and what to do instead.",
}
