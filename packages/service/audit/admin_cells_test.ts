import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { CellError } from "../cells/verify_cell.ts";
import { createAdminCells } from "./admin_cells.ts";

const tested = await openTestDatabase();
after(() => tested.close());

test("a cell is tried again after a failure, which closes it, and its file is read once", async () => {
  const done: string[] = [];
  const cells = createAdminCells({
    readUrls: () => {
      done.push("read");
      return Promise.resolve(new Map([["b", "postgres://b"], ["c", "postgres://c"]]));
    },
    connect: (url) => {
      done.push(`connect ${url}`);
      if (url === "postgres://c") return Promise.reject(new Error("away"));
      return Promise.resolve({
        database: tested.database,
        close: () => Promise.resolve(void done.push("close")),
      });
    },
    control: () => Promise.resolve(tested.database.sql),
  });
  assertEquals(await cells.names(), ["b", "c"]);
  await assertRejects(() => cells.open("d"), CellError, "SABIKA_CELLS_FILE has no line for it");
  for (let time = 0; time < 2; time++) {
    await assertRejects(() => cells.open("b"), CellError, "this database has no copies");
  }
  await assertRejects(() => cells.open("c"), Error, "away");
  await cells.close();
  const attempt = ["connect postgres://b", "close"];
  assertEquals(done, ["read", ...attempt, ...attempt, "connect postgres://c"]);
});

test("a database of another release is no cell, and closing does not wait for one that fails", async () => {
  const done: string[] = [];
  const other = await openTestDatabase();
  await byForce(other.database, "update schema_versions set functions = 'of another'");
  const cells = createAdminCells({
    readUrls: () => Promise.resolve(new Map([["b", "postgres://b"]])),
    connect: () =>
      Promise.resolve({
        database: other.database,
        close: () => Promise.resolve(void done.push("close")),
      }),
    control: () => Promise.resolve(tested.database.sql),
  });
  const opening = assertRejects(() => cells.open("b"), CellError, "other functions");
  await cells.close();
  await opening;
  assertEquals(done, ["close"]);
  await other.close();
});
