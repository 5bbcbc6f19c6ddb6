/** Checks receipts and pool versions against docs/vectors/receipt.json, as the clients in every language do. */
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readVectors } from "../../test/support/vectors.ts";
import {
  canonicalJson,
  isJsonObject,
  type JsonValue,
  ORDER,
  parseJson,
  poolVersionHash,
  readPoolVersion,
  RECEIPT,
  RECEIPT_CHECKS,
  RECEIPT_FAULTS,
  RECEIPT_KEYS,
  verifyReceipt,
  writePoolVersion,
} from "./mod.ts";

const text = readVectors("receipt.json");
// deno-lint-ignore no-explicit-any
const vectors: any = JSON.parse(text);

/** The value of a table as it stands in the file, so that numbers keep their digits. */
function exact(table: string, name: string): JsonValue {
  const file = parseJson(text);
  assert(isJsonObject(file));
  const values = file.get(table);
  assert(isJsonObject(values));
  return values.get(name)!;
}

async function verify({ jws, keys, bars, order, request }: Record<string, string | null>) {
  const { timestamp: timestampSeconds, ...rest } = vectors.requests[request ?? ""] ?? {};
  return await verifyReceipt({
    jws: jws!,
    keys: RECEIPT_KEYS.read(exact("keys", keys!)),
    bars: bars === null ? undefined : vectors.bars[bars!].text,
    order: order === null ? undefined : ORDER.read(exact("orders", order!)),
    request: request === null ? undefined : { timestampSeconds, ...rest },
  });
}

for (const { name, holds, faults, ...kept } of vectors.receipts) {
  test(`a receipt: ${name}`, async () => {
    const verified = await verify(kept);
    assertEquals([verified.holds, verified.faults], [holds, faults]);
    assertEquals(verified.ok, faults.length === 0);
    const isSigned = !RECEIPT_FAULTS.slice(0, 4).some((fault) => faults.includes(fault));
    assertEquals(verified.receipt !== undefined, isSigned);
  });
}

test("a receipt that is read is written as it was", async () => {
  const { receipt } = await verify(vectors.receipts[0]);
  const payload = Buffer.from(vectors.receipts[0].jws.split(".")[1], "base64url").toString();
  assertEquals(
    canonicalJson(parseJson(RECEIPT.write(receipt!))),
    canonicalJson(parseJson(payload)),
  );
});

test("published keys are written as they are read", () => {
  const keys = exact("keys", "published");
  const written = RECEIPT_KEYS.write(RECEIPT_KEYS.read(keys));
  assertEquals(canonicalJson(parseJson(written)), canonicalJson(keys));
});

test("a version of a pool has the text and the hash of its vector", async () => {
  const { text, sha256 } = vectors.bars.version;
  assertEquals(writePoolVersion(readPoolVersion(text)), text);
  for (const { text, sha256 } of Object.values<{ text: string; sha256: string }>(vectors.bars)) {
    assertEquals(await poolVersionHash(text), sha256);
  }
  assertEquals(await poolVersionHash(text), sha256);
});

test("each fault of a receipt, and each check that holds, has a vector", () => {
  const found = (member: string) =>
    new Set(vectors.receipts.flatMap((vector: Record<string, string[]>) => vector[member]));
  assertEquals(found("faults"), new Set(RECEIPT_FAULTS));
  assertEquals(found("holds"), new Set(RECEIPT_CHECKS));
});
