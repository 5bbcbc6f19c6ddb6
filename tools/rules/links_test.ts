import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { anchorOf, checkLinks } from "./links.ts";

test("anchorOf() makes of a heading what readers of Markdown make of it", () => {
  assertEquals(anchorOf("You run the platform"), "you-run-the-platform");
  assertEquals(anchorOf("D64 HTTP/1.1 alone, `at` the edge"), "d64-http11-alone-at-the-edge");
});

test("checkLinks() finds links to files and headings that are not there", () => {
  const there = new Set(["README.md", "docs/page.md", "docs/figures", "docs/figures/one.svg"]);
  const page = [
    "# Page",
    "[a heading](#page) [a page](../README.md#two-words) ![a figure](figures/one.svg)",
    "[a folder](figures/) [elsewhere](https://sabika.example/none#at-all)",
    "[no file](gone.md)",
    "```",
    "[in a code block](gone.md)",
    "# Not a heading",
    "```",
    "[no heading](#not-a-heading) and [none there](../README.md#three)",
  ].join("\n");
  const found = checkLinks([
    { path: "README.md", text: "## Two words\n" },
    { path: "docs/page.md", text: page },
    { path: "docs/page.ts", text: "// [not Markdown](gone.md)" },
  ], (path) => there.has(path.replace(/\/$/, "")));
  assertEquals(found, [
    { path: "docs/page.md", line: 4, message: "gone.md leads nowhere" },
    { path: "docs/page.md", line: 9, message: "#not-a-heading leads nowhere" },
    { path: "docs/page.md", line: 9, message: "../README.md#three leads nowhere" },
  ]);
});
