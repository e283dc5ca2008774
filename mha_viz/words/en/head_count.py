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
    "lookups.seeds": "Seeds",
    "lookups.about": "About {seconds} s on a usual computer.",
    "lookups.reached": "trained",
    "lookups.best": "the best possible",
    "lookups.heads": "heads",
    "lookups.alt": "What each number of heads reaches on the look-ups",
    "lookups.task.values": "numbers",
    "lookups.task.classes": "classes",
}
