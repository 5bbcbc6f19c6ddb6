import { test } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import { inSchema } from "./in_schema.ts";
import { readSchemaRelease } from "./schema_release.ts";

const { migrations, functions } = await readSchemaRelease();
const all = [...migrations.map(({ statements }) => statements), functions];

test("a release names its schema only where another one can replace it (D53)", () => {
  for (const statements of all) {
    assertEquals(inSchema(statements, "cell_b").match(/\bpublic\b(?!_)/), null);
  }
});

test("a release for `public` is applied unchanged", () => {
  for (const statements of all) assertEquals(inSchema(statements, "public"), statements);
  assertNotEquals(inSchema(functions, "cell_b"), functions);
});
