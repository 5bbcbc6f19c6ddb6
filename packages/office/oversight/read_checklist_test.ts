import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { findPartner } from "@sabika/service/partners";
import { byForce } from "../../../test/support/by_force.ts";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { admitPartner } from "../partners/admit_partner.ts";
import { setContact } from "../partners/contacts.ts";
import { setPartnerStatus, updatePartner } from "../partners/partner_operations.ts";
import { setTax } from "../partners/set_tax.ts";
import { readChecklist } from "./read_checklist.ts";

const PARTNER = "bank-one";
const admin = await openTestAdmin();
assert((await admitPartner(admin, anAdmission(PARTNER, { withKeys: false }))).ok);
after(() => admin.close());

/** The steps that are missing. */
async function missing(environment: "sandbox" | "production" = "sandbox"): Promise<string[]> {
  const { database } = admin;
  const partner = await findPartner(database.sql, PARTNER);
  const place = { control: database.sql, environment, nowMs: admin.now() };
  const items = await readChecklist(place, { ...partner!, database });
  return items.filter(({ done }) => !done).map(({ step }) => step);
}

/** What a partner admitted without keys needs. */
const AT_FIRST = "terms tax contacts certificate signing_key gold money delivery quote".split(" ");

test("a step is done while the facts say so, and is missing again when they do not", async () => {
  assertEquals(await missing(), AT_FIRST);
  assertEquals((await missing("production"))[3], "addresses");
  const rates = { gold_vat_percent: 0n, fee_vat_percent: 150_000n, from_day: "2999-01-01" };
  assert((await updatePartner(admin, PARTNER, { spreadPpm: 5_000n })).ok);
  const person = {
    name: "Huda Saleh",
    role: "Treasury",
    telephone: null,
    mail: "huda@bank.example",
  };
  assert((await setContact(admin, PARTNER, person)).ok);
  assert((await setTax(admin, { partner: PARTNER, ...rates })).ok);
  assert((await setPartnerStatus(admin, PARTNER, "suspended")).ok);
  assertEquals(await missing(), [...AT_FIRST.slice(3), "active"]);
  assert((await setPartnerStatus(admin, PARTNER, "active")).ok);
  const { database } = admin.testDatabase;
  await byForce(
    database,
    `update webhook_lanes set next_sequence = 2;
     update client_secrets set valid_until = now() - interval '1 day'`,
  );
  const without = AT_FIRST.slice(3).filter((step) => step !== "delivery");
  assertEquals(await missing(), [...without.slice(0, 2), "client_secret", ...without.slice(2)]);
  await byForce(database, "update webhook_lanes set failing_since = now()");
  assert((await missing()).includes("delivery"));
});
