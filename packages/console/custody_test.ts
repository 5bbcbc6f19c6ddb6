import { after, test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { listVersions } from "@sabika/service/vault";
import { ROLES } from "@sabika/terms";
import {
  consoleForms,
  type FormFields,
  hiddenOf,
  openConsoleOffice,
} from "../../test/support/console_forms.ts";

const office = await openConsoleOffice();
const amal = await office.person("amal", ROLES);
const badr = await office.person("badr", ROLES);
after(() => office.close());

const { send, read, sign } = consoleForms(office);

const HEAD = "Serial number,Brand code,Gross weight (troy ounces),Assay,Fine weight (troy ounces)";
const LINES = Array.from(
  { length: 300 },
  (_, n) => `LB-${1_000 + n},XYZ,${((390_000 + 25 * n) / 1_000).toFixed(3)},995.8,`,
);
const listOf = (lines: readonly string[]) => [HEAD, ...lines].join("\r\n");

/** Signs what the form of a preview leads to, and has a second person approve it. */
async function carryOut(fields: FormFields): Promise<void> {
  const staged = await send(amal, "/en/acts/sign", fields);
  assertStringIncludes((await sign(amal, staged.text)).text, "waits for a second person");
  const { text } = await send(badr, "/en/acts/sign", approvalOn(await read(badr, "/en/approvals")));
  assertStringIncludes((await sign(badr, text)).text, "It is in the audit log");
}

/** The fields of the form that approves the only request that waits. */
function approvalOn(page: string): FormFields {
  const form = page.split("<form").find((part) => part.includes('value="approval.approve"'));
  return hiddenOf(`<form${form}`);
}

test("a weight list is checked line by line before anybody is asked to sign", async () => {
  const check = (language: string, lines: readonly string[]) =>
    send(amal, `/${language}/vault/intake`, { pool: "main", list: listOf(lines) });
  const wrong = LINES.with(7, "LB-1007,XYZ,390.175,995.8,388.5")
    .with(8, "LB-1006,XYZ,390.200,995.8,").with(9, "LB-1009,XYZ,390.225").with(10, "LB,X,1,915,");
  const said = await check("en", wrong);
  assertEquals(said.status, 400);
  const sentences = [
    "Lines that are wrong: 4 of 300",
    "line 9 has other fine ounces than 388.536",
    "line 11 is no CSV of as many columns",
    "the fineness is 916 to 1000",
    "the bar LB-1006 is there twice",
  ];
  for (const sentence of sentences) assertStringIncludes(said.text, sentence);
  assertEquals(said.text.includes('value="vault.bars.add"'), false);
  const arabic = await check("ar", wrong);
  const inArabic = [
    "الأسطر الخاطئة: 4 من 300",
    "الأونصات الصافية في السطر 9 ليست 388.536",
    "العيار من 916 إلى 1000",
  ];
  for (const sentence of inArabic) assertStringIncludes(arabic.text, sentence);
  assertEquals((await check("en", ["A,X,1,995,"])).path.startsWith("/en/vault/intake?list="), true);
  const right = await check("en", LINES);
  assertEquals(right.status, 200);
  assertStringIncludes(right.text, "Nothing is wrong. Bars: 300; fine weight: 3,");
});

test("300 bars come in by two people, are seen by version, bar and serial, and are written again", async () => {
  const list = listOf(LINES);
  await carryOut({ act: "vault.bars.add", "given.pool": "main", "given.bars": list });
  const again = await send(amal, "/en/vault/intake", { pool: "main", list });
  assertStringIncludes(again.text, "the bar LB-1000 is in the vault already");
  const version = await read(amal, "/en/pools/main/versions/1");
  assertEquals(version.match(/href="\/en\/bars\/LB-/g)?.length, 300);
  const [{ hash } = { hash: "" }] = await listVersions(office.admin.database.sql, {
    pool: "main",
    limit: 1,
  });
  assertStringIncludes(version, hash);
  assertStringIncludes(await read(amal, "/en/bars/LB-1007"), "12,135.79906");
  const found = await read(amal, "/en/vault?serial=lb-101");
  assertEquals(found.match(/href="\/en\/bars\/LB-101/g)?.length, 10);
  const written = (await read(amal, "/en/vault/weight-list.csv")).split("\r\n")
    .filter((line) => line.startsWith("LB-"));
  assertEquals(written.length, 300);
  assertStringIncludes(written[0]!, "LB-1000,XYZ,390.000,12130.355952,995.8,388.362,");
  const searched = await send(amal, "/en/vault/intake", { pool: "main", list: "" });
  assertEquals(searched.status, 200);
});

test("bars are replaced from a list or a form, once both sides are right", async () => {
  const replace = (fields: FormFields) => send(amal, "/en/vault/replacement", fields);
  const less = await replace({ serials: "LB-1000\nLB-9999", list: listOf(["N-1,X,1.000,999.9,"]) });
  assertEquals(less.status, 400);
  assertStringIncludes(less.text, "there is no bar LB-9999 in the vault");
  assertStringIncludes(less.text, "the new bars have less fine gold than the old ones");
  assertEquals(less.text.includes('value="vault.bar.replace"'), false);
  const one = { serial: "N-٢", refiner: "R", fineness: "999.9", weight_grams: "12.5 kg" };
  const right = await replace({ serials: "LB-1000", ...one, list: "" });
  assertStringIncludes(right.text, "N-2");
  assertStringIncludes(right.text, 'value="vault.bar.replace"');
  const [, bars = ""] = /name="given.bars" hidden="">([^<]*)</.exec(right.text) ?? [];
  await carryOut({ act: "vault.bar.replace", "given.serials": "LB-1000", "given.bars": bars });
  const version = await read(amal, "/ar/pools/main/versions/2");
  assertStringIncludes(version, "استُبدلت سبائك أو نُقلت");
  assertStringIncludes(version, "دخلت");
  assertStringIncludes(await read(amal, "/en/bars/LB-1000"), "Has left the vault");
});
