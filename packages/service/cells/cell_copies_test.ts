import { assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { copyStatements } from "./cell_copies.ts";

test("the statements of docs/scale.md give a cell its copies, and no others", async () => {
  const page = await readFile(
    fileURLToPath(new URL("../../../docs/scale.md", import.meta.url)),
    "utf8",
  );
  const [, connection] = /connection '(host=control[^']*)'/.exec(page)!;
  const { inControl, inCell } = copyStatements({
    cellId: "b",
    database: "sabika",
    connection: connection!,
  });
  const plain = (sql: string) => sql.replace(/\s+/g, " ").trim();
  const blocks = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, block]) =>
    block!.split(";").map(plain).filter((statement) => statement !== "")
  );
  assertEquals(blocks.slice(0, 2), [inControl.map(plain), inCell.map(plain)]);
});
