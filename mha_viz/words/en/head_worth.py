"""English: the lab on what a head is worth."""

HEAD_WORTH: dict[str, str] = {
    "page.head_worth": "What is a head worth?",
    "page.head_worth.door": "Find out what a head is worth",
    "page.head_worth.help": "Heads taken away, heads that are alike, heads that share their matrices, and depth against width.",
    "head_worth_view.matter": "Which matter",
    "head_worth_view.alike": "Which are alike",
    "head_worth_view.sharing": "Sharing",
    "head_worth_view.depth": "Depth and distilling",
}
