"""English: the page on depth and gradients."""

DEPTH_GRADIENTS: dict[str, str] = {
    "page.depth_gradients": "Depth and gradients",
    "page.depth_gradients.door": "See what depth does to tokens and gradients",
    "page.depth_gradients.help": "Stacks of 1 to 48 layers: how alike tokens become, which matrices still learn, what helps.",
    "depth_gradients_view.stacks": "Stacks",
    "depth_gradients_view.start": "How they begin",
    "depth_gradients_view.block": "A stable block",
}
