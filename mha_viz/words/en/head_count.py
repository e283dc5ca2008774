"""English: the lab on how many heads."""

HEAD_COUNT: dict[str, str] = {
    "page.head_count": "How many heads?",
    "page.head_count.door": "Find out how many heads",
    "page.head_count.help": "What a number of heads costs, a task on which it is worth something, real text, "
    "and how to choose it.",
    "head_count_view.budget": "Budget",
    "head_count_view.lookups": "Look-ups",
    "head_count_view.texts": "Real text",
    "head_count_view.sweep": "Choose one",
}
