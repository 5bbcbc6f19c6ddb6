import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { READS } from "@sabika/office/reads";
import { addBar, listBars } from "@sabika/service/vault";
import { mayDo } from "@sabika/terms";
import { consoleForms, openConsoleOffice } from "../../test/support/console_forms.ts";
import { makeFirstReserve } from "../../test/support/test_attestation.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { PAGES } from "./pages/pages.ts";

/** What a custodian must not see: whose gold it is, how much, what is owed, and what is free. */

const office = await openConsoleOffice();
const { database } = office.admin;
// With a bar of nobody's before each partner's no version weighs what is owed, or what is free.
const addSpare = async (serial: string) => {
  const weights = { finenessTenThousandths: 9_999, weightMicrograms: 345_678_912n };
  assert((await addBar(office.admin, { serial, refiner: "R", ...weights })).ok);
};
await addSpare("N-2");
const bank = await admitTestPartner(database, {
  cashHalalas: 765_432_109n,
  goldMicrograms: 123_456_789n,
  allocationMicrograms: 777_654_321n,
});
await addSpare("N-3");
await admitTestPartner(database, { goldMicrograms: 55_555_555n, allocationMicrograms: 44_444n });
const [row] = await database.sql<{ id: string; free: string; owed: string }[]>`
  select client_id as id, allocated_micrograms::text as owed,
    (bars_micrograms - allocated_micrograms)::text as free
  from vault, partners where partner_id = ${bank.partnerId}`;
const { id, free, owed } = row!;
const grams = [free, owed, "123456789", "777654321"].flatMap((micrograms) => {
  const whole = micrograms.padStart(7, "0").slice(0, -6);
  const fraction = micrograms.slice(-6).replace(/0+$/, "");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return [whole, grouped].map((text) => fraction === "" ? `${text} g` : `${text}.${fraction}`);
});
const secrets = [id, "7654321.09", "7,654,321.09", ...grams];
await makeFirstReserve(office.admin);
const serial = (await listBars(database.sql))[0]!.serial;
const custodian = await office.person("amal", ["custodian"]);
const keeper = await office.person("badr", ["vault"]);
after(() => office.close());

const { read, send } = consoleForms(office);
const leaked = (text: string) => secrets.filter((secret) => text.includes(secret));

test("a custodian sees no balance and no obligation on any page that it opens", async () => {
  const opened = PAGES.filter(({ act, method }) =>
    method === undefined && mayDo(["custodian"], act)
  );
  const paths = opened.map(({ path }) =>
    path.replace(/:pool\{[^}]*\}/, "main").replace(/:version\{[^/]*\}/, "1")
      .replace(":serial", encodeURIComponent(serial)).replace(/^\/acts\/sign$/, "/acts/sign?act=x")
  ).filter((path) => !path.includes(":"));
  for (const path of [...paths, "/counts/new?place=&pool=main", "/search?q=test-"]) {
    assertEquals([path, ...leaked(await read(custodian, `/en${path}`))], [path]);
  }
  assert(paths.includes("/vault") && paths.includes("/pools/main/versions"), paths.join(" "));
  // Somebody of the vault, who allocates, sees them.
  assert(leaked(await read(keeper, "/en/vault")).length > 3);
  for (const closed of ["/partners", "/approvals", "/reserves", "/orders", "/books"]) {
    assert(!paths.includes(closed), closed);
  }
});

test("nor by /admin/v1", async () => {
  const opened = READS.filter(({ act }) => mayDo(["custodian"], act));
  for (const { path } of opened) {
    const asked = path.replace("{pool}", "main").replace("{version}", "1")
      .replace("{serial}", encodeURIComponent(serial));
    const { json } = await custodian.get(asked);
    assertEquals([asked, ...leaked(JSON.stringify(json ?? null))], [asked]);
  }
  for (const path of ["/vault", "/pools", "/partners", "/approvals", "/reserves", "/reconcile"]) {
    assertEquals([path, (await custodian.get(path)).status], [path, 403]);
  }
});

test("nor where it signs that bars come in, leave or are encumbered", async () => {
  const bar = { serial: "N-1", refiner: "R", fineness: "999.9", weight_grams: "1000" };
  const given = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([name, text]) => [`given.${name}`, text]));
  const list = "serial,refiner,gross_grams,fineness\nN-1,R,1000,999.9";
  const forms = [
    { act: "vault.bar.add", ...given(bar) },
    { act: "vault.bars.add", ...given({ pool: "main", bars: list }) },
    { act: "vault.bar.encumber", ...given({ serial: "N-2", reason: "pledged" }) },
  ];
  for (const fields of forms) {
    const { text } = await send(custodian, "/en/acts/sign", fields);
    assertEquals([fields.act, ...leaked(text)], [fields.act]);
  }
});
