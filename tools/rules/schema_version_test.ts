import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { checkSchemaVersion, raiseSchemaVersion, SCHEMA_VERSION_FILE } from "./schema_version.ts";

const migration = {
  path: "packages/service/schema/migrations/0000_baseline.sql",
  text: "SELECT 1;",
};
const functions = { path: "packages/service/orders/one.sql", text: "SELECT 2;" };
const version = (text: string) => ({ path: SCHEMA_VERSION_FILE, text });

test("a changed function or migration without a raised version is found, and only that", () => {
  const first = version('{"version":3,"serves_from":2,"sql":""}');
  const raised = version(raiseSchemaVersion([migration, functions, first]));
  const { sql: _, ...numbers } = JSON.parse(raised.text);
  assertEquals(numbers, { version: 4, serves_from: 2 });
  assertEquals(checkSchemaVersion([migration, functions, raised]), []);
  const others = [{ path: "packages/service/schema/statements/other.sql", text: "SELECT 3;" }];
  assertEquals(checkSchemaVersion([migration, functions, raised, ...others]), []);
  const changes = [
    [migration, { ...functions, text: "SELECT 4;" }],
    [{ ...migration, text: "SELECT 4;" }, functions],
    [migration],
  ];
  for (const changed of changes) {
    assertEquals(checkSchemaVersion([...changed, raised]).map(({ path }) => path), [
      SCHEMA_VERSION_FILE,
    ]);
  }
});
