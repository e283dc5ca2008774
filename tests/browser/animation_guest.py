"""Somebody who watches the splitting animation: where its cells are, what it shows, what the browser complained of."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Browser, Locator, Page, expect

#: Middle of a cell on the canvas, in CSS pixels, at rest in the present step; and the colour its value has.
_CELL = """(root, [name, head, row, column]) => {
  const view = root.splitting;
  const stage = view.drawn[0];
  const sheet = stage.part.steps[view.step].sheets.find((each) => each.array === name);
  const array = stage.part.arrays[name];
  const block = sheet.blocks.find((each) => each.head === head && column >= each.columns[0] && column < each.columns[1]);
  const x = (block.x + (column - block.columns[0] + 0.5) * sheet.cell[0]) * stage.scale.x;
  const y = (block.y + (row + 0.5) * sheet.cell[1]) * stage.scale.y;
  const value = array.numbers[((array.deep ? head : 0) * array.rows + row) * array.columns + column];
  const top = array.tops[array.tops.length > 1 ? head : 0];
  const share = sheet.colour === "diverging" ? 0.5 + value / (2 * top) : value / top;
  const shade = 3 * Math.round(share * 255);
  const pixel = stage.canvas.getContext("2d").getImageData(x * stage.scale.ratio, y * stage.scale.ratio, 1, 1).data;
  const wanted = [...view.look.tables[sheet.colour].slice(shade, shade + 3)];
  return { x, y, value, wanted, drawn: [...pixel.slice(0, 3)], opacity: pixel[3] / 255 };
}"""
#: The picture as a short number.
_PICTURE = """(root) => {
  const { canvas } = root.splitting.drawn[0];
  const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let sum = 7;
  for (let i = 0; i < bytes.length; i += 97) sum = (sum * 31 + bytes[i]) % 4294967291;
  return sum;
}"""
#: Pictures of so many animation frames in a row, one after the other.
_FRAMES = f"""(root, n) => new Promise((resolve) => {{
  const picture = {_PICTURE};
  const seen = [];
  const look = () => {{
    seen.push(picture(root));
    if (seen.length < n) requestAnimationFrame(look);
    else resolve(seen);
  }};
  requestAnimationFrame(look);
}})"""


class Guest:
    """A new browser context with one tab.

    Attributes:
        page: the tab.
        errors: what the console called an error, and exceptions of the page.
        asked: addresses that the page asked for.
    """

    def __init__(
        self,
        browser: Browser,
        address: str,
        *,
        root: str = ".mha-split",
        size: tuple[int, int] = (1280, 800),
        scheme: Literal["light", "dark"] = "light",
        calm: bool = False,
        offline: bool = False,
        scale: float = 1,
    ) -> None:
        options: Any = {"viewport": {"width": size[0], "height": size[1]}, "device_scale_factor": scale}
        motion: Literal["reduce", "no-preference"] = "reduce" if calm else "no-preference"
        self.context = browser.new_context(color_scheme=scheme, reduced_motion=motion, offline=offline, **options)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda problem: self.errors.append(str(problem)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.root = self.page.locator(root)
        expect(self.root.locator("canvas").first).to_be_visible(timeout=30_000)

    @property
    def title(self) -> Locator:
        """The step's number and name."""
        return self.root.locator(".split-title")

    @property
    def stage(self) -> Locator:
        return self.root.locator(".split-scroll").first

    @property
    def hint(self) -> Locator:
        """What is said of the cell below the pointer."""
        return self.root.locator(".split-hint").first

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name)

    def at(self, number: int) -> None:
        """The step of this number, from 1, has been reached, and nothing moves any more."""
        expect(self.title).to_contain_text(f"{number} / 9")
        self.page.wait_for_function("root => !root.splitting.frame", arg=self.root.element_handle())

    def state(self, name: str) -> Any:
        """Something that the animation knows of itself."""
        return self.root.evaluate("(root, name) => root.splitting[name]", name)

    def picture(self) -> int:
        picture: int = self.root.evaluate(_PICTURE)
        return picture

    def frames(self, number: int) -> list[int]:
        """Pictures of animation frames in a row."""
        frames: list[int] = self.root.evaluate(_FRAMES, number)
        return frames

    def cell(self, array: str, head: int | None, row: int, column: int) -> dict[str, Any]:
        """Where a cell is at rest, its value, the colour and the opacity there, and the colour of its value."""
        cell: dict[str, Any] = self.root.evaluate(_CELL, [array, head, row, column])
        return cell

    def is_drawn(self, array: str, head: int | None, row: int, column: int) -> bool:
        """Whether a cell is where it must be, in its full colour: one that is dimmed lets the page shine through."""
        cell = self.cell(array, head, row, column)
        return cell["opacity"] > 0.98 and all(
            abs(a - b) <= 2 for a, b in zip(cell["drawn"], cell["wanted"], strict=True)
        )

    def points_at(self, array: str, head: int | None, row: int, column: int) -> str:
        """What is said of a cell, without the marks that keep a token's writing direction to itself."""
        cell = self.cell(array, head, row, column)
        self.stage.scroll_into_view_if_needed()
        box = self.root.locator("canvas").first.bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + cell["x"], box["y"] + cell["y"])
        expect(self.hint).to_be_visible()
        return (self.hint.text_content() or "").replace("\u2068", "").replace("\u2069", "")
