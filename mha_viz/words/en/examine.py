"""English: the page that examines an attention module."""

EXAMINE: dict[str, str] = {
    "page.examine": "Examine a module",
    "page.examine.door": "Examine your own attention module",
    "page.examine.help": "Shapes, masks, rows, parity, gradients and number formats of your own module, of BERT and of the toy.",
}
