import { assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { JWS_ERROR_CODES, WEBHOOK_REFUSALS } from "@sabika/protocol";
import { makeVectorFiles, VECTORS_FOLDER } from "./files.ts";

const files = await makeVectorFiles();
const read = (name: string) => JSON.parse(files.get(name)!);
const refusalsOf = (cases: readonly { refusal: string | null }[]) =>
  new Set(cases.map(({ refusal }) => refusal).filter((refusal) => refusal !== null));

for (const [name, text] of files) {
  test(`docs/vectors/${name} is what the code says`, () => {
    assertEquals(
      readFileSync(join(VECTORS_FOLDER, name), "utf8"),
      text,
      "write it anew: node tools/run.mjs tools/vectors/main.ts",
    );
  });
}

test("docs/vectors has no file that is not made", () => {
  const found = readdirSync(VECTORS_FOLDER).filter((name) => name.endsWith(".json"));
  assertEquals(found.sort(), [...files.keys()].sort());
});

test("the vectors are made the same twice", async () => {
  assertEquals(await makeVectorFiles(), files);
});

test("each reason to refuse a JWS has a vector", () => {
  assertEquals(refusalsOf(read("jws.json").invalid), new Set(JWS_ERROR_CODES));
});

test("each reason to refuse a webhook has a vector", () => {
  assertEquals(refusalsOf(read("webhook.json").deliveries), new Set(WEBHOOK_REFUSALS));
});

test("each reason to refuse a number or a body has a vector", () => {
  const { refused, bodies } = read("numbers.json");
  assertEquals(refusalsOf(refused), new Set(["too_precise", "wrong_form"]));
  assertEquals(refusalsOf(bodies), new Set(["invalid_request", "malformed_json"]));
});

test("within a table no two vectors have one name", () => {
  for (const name of files.keys()) {
    for (const [table, rows] of Object.entries(read(name))) {
      if (!Array.isArray(rows)) continue;
      const names = rows.map((row) => row.name).filter((name) => name !== undefined);
      assertEquals(new Set(names).size, names.length, `${name} ${table}`);
    }
  }
});

test("every value of a number fits in 64 bits with a sign", () => {
  for (const { value } of read("numbers.json").accepted) {
    assertEquals(BigInt.asIntN(64, BigInt(value)), BigInt(value));
  }
});
