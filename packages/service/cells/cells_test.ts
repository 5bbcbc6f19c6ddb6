import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { classifyFailure } from "@sabika/database";
import { CellAwayError, createCells, mapCells } from "./cells.ts";
import { readCellUrls } from "./verify_cell.ts";

test("a partner's cell is found by its name, unless it cannot be used", () => {
  const cells = createCells({ name: "one" }, (partnerId) => [undefined, "main", "b"][partnerId]);
  assertEquals([cells.of(0).name, cells.of(1).name], ["one", "one"]);
  const error = assertThrows(() => cells.of(2), CellAwayError);
  assertEquals(classifyFailure(error), "away");
  const open: string[] = [];
  cells.each((cellId) => void open.push(cellId));
  cells.add("b", { name: "two" });
  assertEquals(open, ["main", "b"]);
  assertEquals([cells.of(2).name, cells.control.name], ["two", "one"]);
  assertEquals([...cells.all().keys()], ["main", "b"]);
});

test("removing a cell ends its tasks, and adding it again restarts them", async () => {
  const cells = createCells({ name: "one" }, () => "b");
  const lines: string[] = [];
  cells.each((cellId) => {
    lines.push(`${cellId} begins`);
    return () => Promise.resolve(void lines.push(`${cellId} ends`));
  });
  cells.add("b", { name: "two" });
  await cells.remove("b");
  assertThrows(() => cells.of(1), CellAwayError);
  cells.add("b", { name: "three" });
  assertEquals(cells.of(1).name, "three");
  assertEquals(lines, ["main begins", "b begins", "b ends", "b begins"]);
});

test("a value for each cell is made once, also for cells that are added later", () => {
  const cells = createCells({ name: "one" }, (partnerId) => partnerId === 1 ? "b" : "main");
  let made = 0;
  const lengths = mapCells(cells, ({ name }) => ({ name, number: ++made }));
  cells.add("b", { name: "two" });
  assertEquals([lengths.of(1), lengths.of(0), lengths.of(1)].map(({ number }) => number), [
    2,
    1,
    2,
  ]);
  assertEquals([...lengths.all()].map(([cellId, { name }]) => `${cellId} ${name}`), [
    "main one",
    "b two",
  ]);
});

test("the file of cells has a line for each cell, and an error names only the line", () => {
  assertEquals(
    [...readCellUrls("b postgres://a@b/c\n\neast_2  postgresql://d/e  \n")],
    [["b", "postgres://a@b/c"], ["east_2", "postgresql://d/e"]],
  );
  const texts = [
    "\nmain postgres://secret@a/b",
    "\nB postgres://secret@a/b",
    "\nb",
    "\nb mysql://secret@a/b",
    "b postgres://a/b\nb postgres://secret@c/d",
  ];
  for (const text of texts) {
    const { message } = assertThrows(() => readCellUrls(text), TypeError);
    assertEquals(
      message,
      "line 2 is not a cell's name, other than main, and its postgres:// URL",
    );
  }
});
