import {
  consoleForms,
  type FormFields,
  hiddenOf,
  openConsoleOffice,
} from "../../test/support/console_forms.ts";
import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { ROLES } from "@sabika/terms";
import { byForce } from "../../test/support/by_force.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import type { TestBrowser } from "../../test/support/test_browser.ts";
import { openKitFile } from "../../test/support/open_kit_file.ts";
import { openTestTrading, value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { MESSAGES } from "./languages/languages.ts";

const office = await openConsoleOffice();
const { admin } = office;
assert((await admitPartner(admin, anAdmission("bank-one"))).ok);
const bank = await admitTestPartner(admin.database, { cashHalalas: 1_000_00n });
const { database } = admin.testDatabase;
const trading = await openTestTrading(admin.testDatabase);
const { id: withdrawal } = value(await trading.withdraw(bank.withdraw(100_00n)));
const amal = await office.person("amal", ROLES);
const badr = await office.person("badr", ROLES);
after(() => office.close());

const IBAN = "SA0380000000608010167519";

const { send, read: readPage, sign: perform } = consoleForms(office);

/** Sends a form, signs the staged act as a browser does, and sends the signed act. */
async function act(browser: TestBrowser, fields: FormFields, signer = browser) {
  const page = await send(browser, "/en/acts/sign", { back: "/en/partners", ...fields });
  return await perform(browser, page.text, signer);
}

const suspend = { act: "partner.suspend", "given.partner": "bank-one" };

test("an act is shown, signed with a passkey and done", async () => {
  assertStringIncludes(await readPage(amal, "/en/partners/bank-one"), 'value="partner.suspend"');
  const answer = await act(amal, suspend);
  assertEquals(answer.status, 200, answer.text);
  assertStringIncludes(answer.text, "It is in the audit log");
  assertStringIncludes(answer.text, 'href="/en/partners"');
  assertStringIncludes(await readPage(amal, "/en/partners/bank-one"), 'value="partner.resume"');
  assertStringIncludes(await readPage(amal, "/en/audit"), "partner.suspend");
});

test("the audit log is shown whatever lines an act is kept with", async () => {
  const lines =
    '{"dossier":[{"name":"serial","value":{},"context":true},{"name":"later","value":5}]}';
  await byForce(database, `update acts set arguments = '${lines}' where name = 'partner.suspend'`);
  assertStringIncludes(await readPage(amal, "/en/audit"), "<dt>later</dt><dd><bdi>5</bdi></dd>");
});

test("withdrawals to pay are listed page by page, oldest first, and the file has them all", async () => {
  const [{ count }] = await office.admin.database.sql<[{ count: number }]>`
    with made as (insert into withdrawals (partner_id, withdrawal_id, amount_halalas, created_at,
        status, iban)
      select partner_id, overlay(gen_random_uuid()::text placing '7' from 15 for 1)::uuid, 100,
        created_at + n * interval '1 s', 'pending', iban
      from withdrawals, generate_series(1, 1100) n returning 1)
    select count(*)::int as count from made`;
  const shown: string[] = [];
  let path: string | undefined = "/en/withdrawals";
  for (let n = 0; n < 2; n++) {
    const page = await readPage(amal, path!);
    shown.push(...new Set(page.match(/wd_[0-9a-f-]{36}/g)));
    path = /<a rel="next" href="([^"]+)">Next/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  const lines = (await readPage(amal, "/en/withdrawals.csv")).trimEnd().split("\n").slice(1);
  assertEquals(lines.length, count + 1);
  const ids = lines.map((line) => line.split(",")[0]!);
  assertEquals(new Set(ids).size, count + 1);
  assertEquals([shown[0], ids[0]], [withdrawal, withdrawal]);
  // No withdrawal is missing or repeated between the pages.
  assertEquals([...new Set(shown)], ids.slice(0, 100));
});

test("an act that another's passkey signed, or that was not staged, is refused", async () => {
  const resume = { act: "partner.resume", "given.partner": "bank-one" };
  const foreign = await act(amal, resume, badr);
  assertEquals(foreign.status, 400);
  assertStringIncludes(foreign.text, "Refused, nothing was done");
  const hidden = hiddenOf((await send(amal, "/en/acts/sign", resume)).text);
  for (const change of [{ id: "x" }, { credential: "{}" }, { credential: "" }] as FormFields[]) {
    const answer = await send(amal, "/en/acts", { ...hidden, ...change });
    assertEquals(answer.status, 400, JSON.stringify(change));
  }
  assertStringIncludes(await readPage(amal, "/en/partners/bank-one"), 'value="partner.resume"');
});

test("a partner is admitted by steps, and its secrets are shown once", async () => {
  const step = (fields: FormFields) => send(amal, "/en/admission", fields);
  const wrong = await step({ step: "who", "given.client_id": "bank-one", "given.name": "One" });
  assertEquals(wrong.status, 400);
  assertStringIncludes(wrong.text, "there is a partner &quot;bank-one&quot; already");
  const names = { "given.client_id": "bank-new", "given.name": "New", "given.iban": IBAN };
  const keyFields = { step: "keys", "given.with_keys": "on" };
  const limits = { "given.webhook_url": "https://hooks.bank.example/", "given.addresses": "::1\n" };
  assertStringIncludes((await step({ step: "who", ...names })).text, 'name="given.csr"');
  const pasted = await step({ ...names, step: "keys", "given.csr": "-----BEGIN PRIVATE KEY-----" });
  assertEquals([pasted.status, pasted.text.includes("BEGIN PRIVATE KEY")], [400, false]);
  const third = await step({ ...names, ...keyFields });
  assertStringIncludes(third.text, 'name="given.addresses"');
  const limit = { "given.rates.signed.perSecond": "fast", "given.rates.signed.burst": "5" };
  const misread = await step({ ...names, ...keyFields, ...limits, ...limit, step: "reach" });
  assertStringIncludes(misread.text, MESSAGES.en.mistakes.no_number);
  limit["given.rates.signed.perSecond"] = "9";
  const page = await step({ ...names, ...keyFields, ...limits, ...limit, step: "reach" });
  assertStringIncludes(page.text, 'data-passkey="act"');
  assertStringIncludes(page.text, "whoever has the passphrase");
  const answer = await perform(amal, page.text);
  assertStringIncludes(answer.text, "Shown this once");
  assertEquals(/sk_|PRIVATE KEY|BEGIN CERT/.test(answer.text), false);
  const [passphrase] = /\b[0-9a-z]{5}(?:-[0-9a-z]{5}){4}\b/.exec(answer.text)!;
  const [, path] = /href="([^"]+\/kit)"/.exec(answer.text)!;
  const files = await openKitFile(await readPage(amal, path!), passphrase);
  const { base_url, client_secret: secret } = JSON.parse(files["bank-new/partner.json"]!);
  assertEquals(base_url, office.admin.baseUrl);
  assertEquals(Object.keys(files).length, 8, Object.keys(files).join());
  assertEquals((await readPage(badr, path!)).includes("AGE ENCRYPTED"), false);
  const partner = await readPage(amal, "/en/partners/bank-new");
  assertStringIncludes(partner, "::1/128");
  assertEquals(
    [partner, await readPage(amal, "/en/audit")].some((text) => text.includes(secret)),
    false,
  );
  const [row] = await office.admin.database.sql<{ limits: unknown }[]>`
    select rate_limits as limits from partners where client_id = 'bank-new'`;
  assertEquals(row!.limits, { signed: { perSecond: 9, burst: 5 } });
});

test("a secret is rotated with an overlap, and the new one is shown at once", async () => {
  const answer = await act(amal, {
    act: "client-secret.rotate",
    "given.partner": "bank-new",
    "given.overlap_ms": "3600000",
  });
  testRecord.secretsIn(answer.text);
  assertStringIncludes(answer.text, "The old ones end");
  const input = { act: "client-secret.rotate", "given.partner": "bank-new" };
  const incomplete = await send(amal, "/en/acts/sign", input);
  assertEquals(incomplete.status, 400);
  assertStringIncludes(incomplete.text, MESSAGES.en.mistakes.missing);
});

test("a link for a passkey is shown to its requester, and only its hash is signed", async () => {
  const page = await send(amal, "/en/acts/sign", {
    act: "operator.link",
    "given.operator": "badr",
  });
  const [, token] = /enrol#([\w-]+)/.exec(page.text) ?? [];
  testRecord.secret("link", token!);
  const answer = await perform(amal, page.text);
  assertStringIncludes(answer.text, "it waits for a second person (Administrator");
  assertEquals(answer.text.includes(token!), false);
  const { sql } = office.admin.database;
  const acts = await sql<{ text: string }[]>`select arguments as text from acts`;
  assertEquals(acts.some(({ text }) => text.includes(token!)), false);
  assert(acts.some(({ text }) => text.includes('"link_sha256"')));
});

test("two people set a rule, with all chosen approvers and each condition", async () => {
  const page = await send(amal, "/en/acts/sign", [
    ["act", "policy.set"],
    ["given.act", "vault.allocate"],
    ["given.approvers", "vault"],
    ["given.approvers", "administrator"],
    ["given.conditions", "grams above 5\r\n\r\n"],
  ]);
  const answer = await perform(amal, page.text);
  assertStringIncludes(answer.text, "it waits for a second person (Administrator");
  assert(!(await readPage(amal, "/en/approvals")).includes('value="approval.approve"'));
  assertStringIncludes(await readPage(badr, "/en"), "Requests to decide on</a><strong>2</strong>");
  const [, approve] = (await readPage(badr, "/en/approvals")).split("<main")[1]!.split("<form");
  assertStringIncludes((await act(badr, hiddenOf(`<form${approve}`))).text, "audit log");
  const rules = await readPage(badr, "/en/policy");
  assertStringIncludes(rules, "grams above 5");
  assertStringIncludes(rules, "Vault, Administrator");
});

test("a requester withdraws a request, with a reason", async () => {
  const iban = { act: "iban.set", "given.partner": "bank-one", "given.iban": IBAN };
  await act(amal, iban);
  const [, form] = (await readPage(amal, "/en/approvals")).split("<main")[1]!.split("<form");
  const reject = { ...hiddenOf(`<form${form}`), "given.reason": "no letter came" };
  assertStringIncludes((await act(amal, reject)).text, "Nothing was carried out");
  assertStringIncludes(await readPage(amal, "/en/approvals?state=all"), "no letter came");
});

test("acts are offered to and staged for those whose roles permit them, and nobody else", async () => {
  const support = await office.person("support-one", ["support"]);
  const page = await readPage(support, "/en/partners/bank-one");
  assertEquals(["partner.resume", "webhook.ping"].map((name) => page.includes(name)), [
    false,
    true,
  ]);
  const refused = await send(support, "/en/acts/sign", suspend);
  assertEquals(refused.status, 400);
  assertStringIncludes(refused.text, "Not for your roles");
  for (const name of ["", "no.such.act", "toString", "partner.read"]) {
    assertEquals((await send(support, "/en/acts/sign", { act: name })).status, 404, name);
  }
});

test("the link back leads to a page of the console, whatever the form says", async () => {
  const backs = ["https://evil.example/", "//evil.example", "/\\evil", "javascript:alert(1)"];
  for (const back of backs) {
    const { text } = await send(amal, "/en/acts/sign", { ...suspend, back });
    assert(!text.includes(`href="${back}`), back);
  }
});
