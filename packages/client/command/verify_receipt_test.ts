import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sha256Hex } from "@sabika/protocol";
import { captureIo } from "../../../test/support/captured_io.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { run } from "./run.ts";

// deno-lint-ignore no-explicit-any
const vectors: any = JSON.parse(
  readFileSync(new URL("../../../docs/vectors/receipt.json", import.meta.url), "utf8"),
);
const jwsOf = (name: string) =>
  vectors.receipts.find((vector: { name: string }) => vector.name === name).jws;
const folder = temporaryFolder();
const GOOD = jwsOf("all is as it was kept");
const ID = vectors.orders.answered.id;

/** Writes a file and returns its path. */
async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function verify(...args: string[]) {
  const { io, read } = captureIo();
  return { code: await run(["verify", "receipt", ...args], io), output: read().output };
}

const receipt = await file("receipt.jws", `${GOOD}\n`);
const keys = ["--keys", await file("keys.json", vectors.keys.published)];
const bars = ["--bars", await file("bars.json", vectors.bars.version.text)];
const order = ["--order", await file("order.json", vectors.orders.answered)];
const { timestamp, nonce, url, body } = vectors.requests.signed;
const pasted = `POST ${url}\nx-timestamp: ${timestamp}\nx-nonce: ${nonce}\n\n${body}\n`;
const request = ["--request", await file("request.txt", pasted)];

test("verify receipt says what holds, and what was not checked", async () => {
  assertEquals(await verify(receipt, ...keys, ...bars, ...request, ...order), {
    code: 0,
    output: `genuine: ${ID}\nholds        signature value parts share order request bars`,
  });
  assertEquals(await verify(receipt, ...keys), {
    code: 0,
    output: `genuine: ${ID}\nholds        signature value parts share\n` +
      "not checked  order request bars",
  });
});

test("verify receipt reads the request from evidence too", async () => {
  const evidence = { ...vectors.requests.signed, key_id: "k", method: "POST", signature: "s" };
  const kept = await file("evidence.json", { id: ID, requests: [evidence] });
  const { code, output } = await verify(receipt, ...keys, "--request", kept);
  assertEquals(code, 0, output);
  assertStringIncludes(output, "share request");
});

test("verify receipt names what does not hold, also as JSON", async () => {
  const other = ["--order", await file("other.json", vectors.orders.another)];
  const altered = ["--bars", await file("altered.json", vectors.bars.a_serial_altered.text)];
  const { code, output } = await verify(receipt, ...keys, ...other, ...altered, ...request);
  assertEquals(code, 1);
  assertEquals(output.split("\n"), [
    "other_order: it is of another order",
    "bars_altered: the bar list has another hash",
    "holds        signature value parts share request",
  ]);
  const json = await verify(receipt, ...keys, ...altered, "--json");
  assertEquals(json.code, 1);
  assertEquals(JSON.parse(json.output), {
    ok: false,
    order_id: ID,
    holds: ["signature", "value", "parts", "share"],
    faults: ["bars_altered"],
  });
});

test("verify receipt --page writes one page in both languages, only if all holds", async () => {
  const page = join(folder, "page.html");
  const bad = await file("altered.jws", jwsOf("altered: the gold"));
  const refused = await verify(bad, ...keys, "--page", page);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.output, "altered: ");
  assertEquals((await verify(receipt, ...keys, ...bars, "--page", page)).code, 0);
  const html = await readFile(page, "utf8");
  const texts = [ID, "إيصال ذهب", "Saudi &quot;Gold&quot; / \\ Refinery", "735.27 SAR", "<svg"];
  for (const text of texts) {
    assertStringIncludes(html, text);
  }
  assertStringIncludes(html, await sha256Hex(new TextEncoder().encode(GOOD)));
  assert(!html.includes("as the order that was kept"));
  const again = await verify(receipt, ...keys, "--page", page);
  assertEquals(again.code, 1);
  assertStringIncludes(again.output, "cannot be written (EEXIST)");
});

test("verify receipt without a receipt or keys is wrong usage, and a file that is none says so", async () => {
  assertEquals((await verify()).code, 2);
  assertEquals((await verify(receipt)).code, 2);
  for (const args of [["--keys", receipt], [...keys, "--order", receipt]]) {
    const { code, output } = await verify(receipt, ...args);
    assertEquals(code, 1);
    assertStringIncludes(output, receipt);
  }
  const noRequest = await verify(receipt, ...keys, "--request", receipt);
  assertEquals(noRequest.code, 1);
  assertStringIncludes(noRequest.output, "is no signed request");
});
