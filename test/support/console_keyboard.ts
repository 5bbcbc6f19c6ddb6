import { assert } from "@std/assert";
import type { Locator, Page } from "playwright-core";

/** More than any page has between two places that one goes to. */
const STEPS = 400;

/**
 * Makes the hands of a person without a mouse: keys alone. Wherever Tab stops, the focus must be seen: on screen, and
 * with an outline.
 */
export function openKeyboard(page: Page) {
  /** Presses Tab until the element has the focus. */
  async function reach(element: Locator): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      if (await element.and(page.locator(":focus")).count() > 0) return;
      await page.keyboard.press("Tab");
      const unseen = await page.evaluate(FOCUS_UNSEEN) as string | null;
      assert(unseen === null, `${page.url()}: the focus cannot be seen on ${unseen}`);
    }
    throw new Error(`${page.url()}: Tab does not lead to ${element}`);
  }

  /** Goes to a link or a button and presses Enter; waits for the page that it leads to. */
  async function follow(element: Locator): Promise<void> {
    await reach(element);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  }

  /** Goes down the options of a list that has the focus, from the first. */
  async function choose(field: Locator, text: string): Promise<void> {
    await page.keyboard.press("Home");
    for (let rest = await field.getByRole("option").count(); rest > 0; rest--) {
      const option = field.locator("option:checked");
      if ([await field.inputValue(), await option.innerText()].includes(text)) return;
      await page.keyboard.press("ArrowDown");
    }
    throw new Error(`${page.url()}: no option is ${text}`);
  }

  return {
    reach,
    follow,
    /** Goes to a button, a checkbox or what unfolds, and presses the space bar. */
    async press(element: Locator): Promise<void> {
      await reach(element);
      await page.keyboard.press("Space");
    },
    /** Goes to a field and types into it, in place of what it has; of a list, the text or value of an option. */
    async type(field: Locator, text: string): Promise<void> {
      await reach(field);
      if (await field.getByRole("option").count() > 0) return await choose(field, text);
      if (await field.getAttribute("type") === "date") {
        const [year, month, day] = text.split("-");
        return await page.keyboard.type(`${month}${day}${year}`);
      }
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
    },
    /** Goes to a link and presses Enter; returns the file that it leads to. */
    async download(link: Locator) {
      await reach(link);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.keyboard.press("Enter"),
      ]);
      return file;
    },
  };
}

/** The element with the focus, if that cannot be seen: it has no outline, or no part of it is on screen. */
const FOCUS_UNSEEN = `(() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { top, left, bottom, right } = element.getBoundingClientRect();
  const isOnScreen = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  const isSeen = isOnScreen && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  return isSeen ? null : element.outerHTML.slice(0, 200);
})()`;
