import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { ROLES } from "@sabika/terms";
import { consoleForms, hiddenOf, openConsoleOffice } from "../../test/support/console_forms.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import { MESSAGES } from "./languages/languages.ts";

const { together, act: says } = MESSAGES.en;
const PATH = "/en/approvals/together";

const office = await openConsoleOffice();
const { send, read, sign } = consoleForms(office);
assert((await admitPartner(office.admin, anAdmission("bank-one"))).ok);
const amal = await office.person("amal", ROLES);
const badr = await office.person("badr", ROLES);
after(() => office.close());

const credit = async (reference: string, amount_sar: string) =>
  (await amal.act("funding.credit", { partner: "bank-one", amount_sar, reference })).json;

const ticks = (page: string) =>
  [...page.matchAll(/type="checkbox" name="request" value="([^"]+)"/g)].map(([, id]) => id!);

test("requests of one act are approved by one signature, and each outcome is told (D99)", async () => {
  for (const reference of ["TT-1", "TT-2", "TT-3", "TT-4", "TT-5"]) {
    assertEquals((await credit(reference, "150000.5")).state, "waiting");
  }
  await amal.act("iban.set", { partner: "bank-one", iban: "SA4420000001234567891234" });
  assertEquals(ticks(await read(amal, "/en/approvals")), []);
  const support = await office.person("carim", ["support"]);
  assertEquals(ticks(await read(support, "/en/approvals")), []);
  const [fifth, fourth, ...three] = ticks(await read(badr, "/en/approvals"));
  assertEquals(three.length, 3);

  const choose = (...ids: string[]) =>
    send(badr, PATH, [["act", "funding.credit"], ...ids.map((id) => ["request", id])]);
  assertEquals((await choose()).status, 400);
  assertEquals((await send(badr, PATH, { act: "iban.set", request: fifth! })).status, 400);
  // The third was credited meanwhile, by one person, and the fourth is rejected while the page is read.
  assertEquals((await credit("TT-3", "5")).state, "done");
  const page = await choose(fourth!, ...three);
  const main = page.text.split("<main")[1]!;
  assertEquals(main.match(/<dl class="facts dossier">/g)?.length, 4);
  for (const text of ["600,002.00 SAR", "TT-1", "TT-2", "TT-3", "TT-4", "becomes void"]) {
    assertStringIncludes(main, text);
  }
  assert(!main.includes("TT-5"));
  const rejected = await amal.act("approval.reject", { request: fourth!, reason: "no letter" });
  assertEquals(rejected.status, 200);

  const outcomes = await sign(badr, page.text, badr, `${PATH}/sign`);
  const { states } = together;
  for (const text of [`2 · ${states.done}`, `1 · ${states.void}`, `1 · ${states.refused}`]) {
    assertStringIncludes(outcomes.text, text);
  }
  assertStringIncludes(outcomes.text, "the request is rejected already");
  // In Arabic pages both reasons are Arabic, from memory and from the database.
  const inArabic = outcomes.path.replace("/en/", "/ar/");
  assertStringIncludes(await read(badr, inArabic), "رُفض الطلب من قبل");
  const changed = "تغيّر منذ الطلب: قُيّد من قبل بهذا المرجع: لا ← مرة واحدة، 5.00 ر.س";
  assertStringIncludes(await read(badr, "/ar/approvals?state=all"), changed);
  const { sql } = office.admin.database;
  const credited = await sql<{ reference: string }[]>`
    select reference from fundings order by reference`;
  assertEquals(credited.map(({ reference }) => reference), ["TT-1", "TT-2", "TT-3"]);
  // Back, and what is sent again, lead to the same outcomes.
  const again = hiddenOf(page.text);
  const repeated = await sign(badr, page.text, badr, `${PATH}/sign`);
  assertEquals([repeated.path, repeated.text], [outcomes.path, outcomes.text]);
  assertStringIncludes(again["again"]!, `${PATH}?act=funding.credit`);
  const headers = { cookie: badr.cookie() };
  const returned = await office.app.request(`https://office.sabika.example${again["again"]}`, {
    headers,
  });
  assertEquals(returned.headers.get("location"), outcomes.path);
  const { findings } = await withAuditRecord(sql, verifyAudit);
  assertEquals(findings, []);
});

test("an address that this session did not seal signs nothing, nor does a changed form", async () => {
  await credit("TT-6", "150000");
  const page = await send(badr, PATH, { act: "funding.credit", all: "on" });
  assertStringIncludes(page.text, "300,000.50 SAR");
  const other = await read(amal, page.path);
  assert(!other.includes("data-passkey"));
  assertEquals((await send(badr, `${PATH}/sign`, { acts: "[]" })).status, 400);
  const hidden = hiddenOf(page.text);
  const [first, second] = JSON.parse(hidden["acts"]!);
  const credential = JSON.stringify(
    await badr.authenticator.get(JSON.parse(hidden["options"]!)),
  );
  const less = { ...hidden, acts: JSON.stringify([first]), credential };
  const refused = await send(badr, `${PATH}/sign`, less);
  assertStringIncludes(refused.text, `1 · ${together.states.refused}`);
  // The other was not reached.
  const address = refused.path.replace(/of=[^&]+/, `of=${second.request}.${second.id}`);
  assertStringIncludes(await read(badr, address), says.nothing);
  assertEquals((await send(badr, `${PATH}/sign`, { ...hidden, credential })).status, 200);
});
