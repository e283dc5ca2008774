"""English: the page on what attention costs."""

COST: dict[str, str] = {
    "page.cost": "Cost",
    "page.cost.door": "Measure what attention costs",
    "page.cost.help": "Time and memory measured on this computer beside the formula; what maps and rounding cost.",
    "cost_view.growth": "Growth",
    "cost_view.maps": "Returning the maps",
    "cost_view.precision": "Half precision",
    "cost_view.int8": "INT8",
}
