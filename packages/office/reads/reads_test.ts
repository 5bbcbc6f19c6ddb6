import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { shapeAt } from "./columns.ts";
import { READS } from "./reads.ts";

test("every column of a page has a heading in both languages, and is a member of the answer", () => {
  for (const read of READS) {
    const { path, form, columns = {} } = read;
    const page = read.kind === "list" ? read.page : undefined;
    for (const name of page?.columns ?? []) {
      const { en, ar } = columns[name] ?? {};
      assert(en && ar, `${path}: ${name}`);
    }
    for (const line of page?.file ?? page?.columns ?? []) {
      const [name = ""] = line.split(" as ");
      const valuePath = columns[name]?.from ?? name;
      // A path through a list, which `shapeAt` does not follow.
      if (valuePath === "keys.key_id") continue;
      assert(Object.keys(shapeAt(form.shape, valuePath)).length > 0, `${path}: ${name}`);
    }
  }
});

test("no two commands of the table have the same name", () => {
  const names = READS.flatMap(({ command }) => command ? `${command.noun} ${command.verb}` : []);
  assertEquals(names.length, new Set(names).size);
});
