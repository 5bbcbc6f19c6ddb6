import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { actAs, codeOf } from "../../../test/support/acts.ts";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { admitPartner } from "./admit_partner.ts";
import { listContacts } from "./contacts.ts";
import { listDocuments } from "./documents.ts";

const partner = "bank-one";
const HASH = "ab".repeat(32);
const admin = await openTestAdmin();
const admission = anAdmission(partner, { withKeys: false });
assert((await admitPartner(admin, admission)).ok);
after(() => admin.close());

const code = async (outcome: ReturnType<typeof actAs>) => codeOf(await outcome);

test("whom to call is recorded by name, replaced, and removed", async () => {
  const { sql } = admin.database;
  const [{ id }] = await sql<[{ id: number }]>`select partner_id as id from partners`;
  const huda = { partner, name: "هدى صالح", role: "Treasury", telephone: "+966 11 555 0100" };
  const omar = { partner, name: "Omar", role: "Night desk", mail: "night.desk@bank.example" };
  assertEquals(await code(actAs(admin, "partner.contact.set", huda)), "done");
  assertEquals(await code(actAs(admin, "partner.contact.set", omar)), "done");
  const telephone = "+966 11 555 0199";
  assertEquals(await code(actAs(admin, "partner.contact.set", { ...huda, telephone })), "done");
  assertEquals([...await listContacts(sql, id)], [
    { name: "Omar", role: "Night desk", telephone: null, mail: "night.desk@bank.example" },
    { name: "هدى صالح", role: "Treasury", telephone, mail: null },
  ]);
  assertEquals(
    await code(actAs(admin, "partner.contact.remove", { partner, name: "Omar" })),
    "done",
  );
  assertEquals((await listContacts(sql, id)).length, 1);
  const cases = [
    [{ name: "" }, "invalid_name"],
    [{ role: "a\nb" }, "invalid_name"],
    [{ telephone: "0115550100" }, "invalid_setting"],
    [{ mail: "huda@bank" }, "invalid_setting"],
    [{ partner: "nobody" }, "not_found"],
  ] as const;
  for (const [change, expected] of cases) {
    const outcome = code(actAs(admin, "partner.contact.set", { ...huda, ...change }));
    assertEquals(await outcome, expected, JSON.stringify(change));
  }
  const { telephone: _, ...unreachable } = huda;
  assertEquals(await code(actAs(admin, "partner.contact.set", unreachable)), "invalid_setting");
  const removed = code(actAs(admin, "partner.contact.remove", { partner, name: "Omar" }));
  assertEquals(await removed, "not_found");
});

test("a document ends with its last day in Riyadh, and is ending for 30 days before", async () => {
  const { sql } = admin.database;
  const document = (reference: string, valid_until?: string) => ({
    partner,
    kind: "licence" as const,
    reference,
    document_sha256: HASH,
    issued_on: "2026-01-31",
    ...valid_until !== undefined && { valid_until },
  });
  const cases = [["L-1", "2026-06-30"], ["L-2", "2026-07-31"], ["L-3"]] as const;
  for (const [reference, until] of cases) {
    const outcome = actAs(admin, "partner.document.set", document(reference, until));
    assertEquals(await code(outcome), "done");
  }
  const states = async (time: string) =>
    (await listDocuments(sql, Date.parse(time), { clientId: partner }))
      .map(({ reference, state }) => `${reference} ${state}`);
  assertEquals(await states("2026-06-30T20:59:59Z"), ["L-1 ending", "L-2 valid", "L-3 valid"]);
  // Midnight in Riyadh.
  assertEquals(await states("2026-06-30T21:00:00Z"), ["L-1 ended", "L-2 valid", "L-3 valid"]);
  assertEquals(await states("2026-07-01T21:00:00Z"), ["L-1 ended", "L-2 ending", "L-3 valid"]);
  const renewed = actAs(admin, "partner.document.set", document("L-1", "2027-06-30"));
  assertEquals(await code(renewed), "done");
  const [, first] = await listDocuments(sql, Date.now());
  assertEquals([first?.reference, first?.validUntil], ["L-1", "2027-06-30"]);
  const changes = [
    { document_sha256: "AB" },
    { issued_on: "2026-02-30" },
    { valid_until: "2026-01-30" },
  ];
  for (const change of changes) {
    const outcome = actAs(admin, "partner.document.set", { ...document("L-4"), ...change });
    assertEquals(await code(outcome), "invalid_setting", JSON.stringify(change));
  }
  const gone = { partner, reference: "L-3" };
  assertEquals(await code(actAs(admin, "partner.document.remove", gone)), "done");
  assertEquals(await code(actAs(admin, "partner.document.remove", gone)), "not_found");
});
