import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ACT_IBAN, actDossiers } from "../../../test/support/act_dossiers.ts";
import { openActSubjects } from "../../../test/support/act_subjects.ts";
import { random } from "../../../test/support/random.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import {
  type ActArguments,
  argumentsText,
  isSignedBy,
  type SignedAct,
} from "@sabika/identity/signatures";
import { importPublicJwk, uuidV7 } from "@sabika/protocol";
import { findSigner } from "@sabika/service/audit";
import { ROLES } from "@sabika/terms";
import { CARRIED_NAMES } from "./catalogue.ts";
import { describeArguments } from "./describe_arguments.ts";
import type { Decided } from "./decide.ts";
import { type Dossier, factsOf } from "./dossier/line.ts";
import { LABELS } from "./dossier/words.ts";
import { writeLine } from "./dossier/write_line.ts";
import { listApprovals } from "./read_approvals.ts";

const { admin, withdraw } = await openActSubjects();
const withdrawal = await withdraw();
const amal = await addPerson(admin, "amal", ROLES);
const badr = await addPerson(admin, "badr", ROLES);
after(() => admin.close());

async function signingReceiptKey(): Promise<string> {
  const [row] = await admin.database.sql<{ id: string }[]>`select key_id as id from receipt_keys`;
  return row!.id;
}

async function described(name: string, input: ActArguments, person = amal) {
  const { database: { sql }, environment, now } = admin;
  const { operatorId } = (await findSigner(sql, { keyId: person.key.keyId }))!;
  const signing = { id: uuidV7(now(), random), operatorId };
  const outcome = await describeArguments({ sql, environment, now }, name, input, signing);
  assert(outcome.ok, `${name}: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

function english(dossier: Dossier): string[] {
  return dossier.map((line) => {
    const { label, value, was } = writeLine(line, "en");
    return `${label}: ${was === undefined ? value : `${was} → ${value}`}`;
  });
}

test("each act's dossier says what it is about, whose it is, how much, and from what to what", async () => {
  const wanted = await actDossiers(withdrawal, await signingReceiptKey());
  assertEquals(wanted.map(([name]) => name).sort(), [...CARRIED_NAMES].sort());
  for (const [name, input, lines] of wanted) {
    const { dossier } = await described(name, input);
    assertEquals(english(dossier).slice(0, lines.length), lines, name);
    for (const line of dossier) {
      const { label, value, was = "" } = writeLine(line, "ar");
      assertEquals(label, LABELS[line.name].ar);
      assert(!/undefined|\[object/.test(value + was), `${name}: ${value}`);
    }
  }
});

test("a dossier is written in Arabic, with names of acts and roles", async () => {
  const { dossier } = await described("funding.credit", {
    partner: "bank-one",
    amount_sar: "250000",
    reference: "FT1",
  });
  const names = { roles: { treasury: "الخزينة", administrator: "مدير النظام" } };
  const written = dossier.map((line) => writeLine(line, "ar", names));
  assertEquals(written.at(2), { label: "المبلغ", value: "250,000.00 ر.س" });
  assertEquals(written.at(-1), { label: "ثم يحتاج إلى", value: "الخزينة، مدير النظام" });
});

/** Asks for an act with its dossier; returns the request's id. */
async function request(name: string, values: ActArguments): Promise<string> {
  const { input } = await described(name, values);
  const asked = await amal.ask(name, input);
  assert(asked.ok && "waiting" in asked.value, JSON.stringify(asked));
  return asked.value.waiting;
}

async function find(id: string) {
  const [approval] = await listApprovals(admin.database.sql, "sandbox", { nowMs: Date.now(), id });
  return approval!;
}

/** Approves with the dossier of the approval; returns what came of it, and what was shown before. */
async function approve(id: string): Promise<{ decided: Decided; shown: string[] }> {
  const values = { request: id, sha256: (await find(id)).sha256 };
  const { input, dossier } = await described("approval.approve", values, badr);
  const outcome = await badr.ask("approval.approve", input);
  assert(outcome.ok && "done" in outcome.value, outcome.ok ? "waits" : outcome.detail);
  return { decided: outcome.value.done as Decided, shown: english(dossier) };
}

/** An act's row, with whether its key signed it as it stands there. */
async function signedRow(id: string) {
  const [row] = await admin.database.sql<(SignedAct & { keyId: string })[]>`
    select act_id as id, name, arguments as "argumentsText", signature, key_id as "keyId",
      extract(epoch from signed_at)::float8 * 1000 as "signedAtMs" from acts where act_id = ${id}::uuid`;
  const { key } = (await findSigner(admin.database.sql, { keyId: row!.keyId }))!;
  const imported = await importPublicJwk(key.publicJwk);
  assert(imported.ok);
  assert(await isSignedBy({ ...key, publicKey: imported.key }, "sandbox", row!));
  return JSON.parse(row!.argumentsText) as { dossier: Dossier };
}

test("both people sign the dossier, and the second sees what the first one signed", async () => {
  const id = await request("funding.credit", {
    partner: "bank-one",
    amount_sar: "250000",
    reference: "FT-TWO",
  });
  const signed = (await signedRow(id)).dossier;
  const first = english(signed);
  assert(first.includes("Amount: 250,000.00 SAR"), first.join("\n"));
  assertEquals((await find(id)).dossier, factsOf(signed));
  const { decided, shown } = await approve(id);
  assertEquals(decided.state, "done");
  for (const line of ["Act: funding.credit", ...first.slice(0, 5), "Asked for by: amal"]) {
    assert(shown.includes(line), `${line} in:\n${shown.join("\n")}`);
  }
  const [row] = await admin.database.sql<{ id: string }[]>`
    select decision_id as id from approvals where request_id = ${id}::uuid`;
  assertEquals(english((await signedRow(row!.id)).dossier), shown);
});

test("no line that a requester writes beside the facts is shown to whoever decides", async () => {
  const { input } = await described("withdrawal.processing", { withdrawal: withdrawal.id });
  const lie = JSON.parse(
    argumentsText(input).replace('"sar":"0","times":0', '"sar":"900","times":9'),
  );
  const asked = await amal.ask("withdrawal.processing", lie);
  assert(asked.ok && "waiting" in asked.value);
  const id = asked.value.waiting;
  assert(
    english((await signedRow(id)).dossier).includes(
      "Paid to this IBAN before: 9 times, 900.00 SAR",
    ),
  );
  const { dossier, sha256 } = await find(id);
  assert(!dossier!.some(({ name }) => name === "paid_before"));
  const staged = await described("approval.approve", { request: id, sha256 }, badr);
  assert(english(staged.dossier).includes("Paid to this IBAN before: never"));
});

test("no act and no decision is signed over lines of no known form, or over others", async () => {
  const reason = "not agreed";
  const id = await request("price.set", { source: "fixed", mid_price_sar: "500" });
  const { sha256 } = await find(id);
  const signings = [
    ["webhook.ping", { partner: "bank-one" }, amal],
    ["approval.approve", { request: id, sha256 }, badr],
    ["approval.reject", { request: id, reason }, badr],
  ] as const;
  for (const [name, values, person] of signings) {
    const { input, dossier } = await described(name, values, person);
    const forgeries = [
      [[null], "invalid_setting"],
      [[...dossier, { name: "serial", value: {}, context: true }], "invalid_setting"],
      [dossier.slice(1), "invalid_state"],
    ] as const;
    for (const [lines, code] of forgeries) {
      const refused = await person.ask(name, { ...input, dossier: lines } as never);
      assertEquals(refused.ok || refused.code, code, `${name} ${JSON.stringify(lines)}`);
    }
  }
  const { input } = await described("approval.reject", { request: id, reason }, badr);
  assert((await badr.ask("approval.reject", input)).ok);
});

test("a request is void when a fact of its dossier changed, says which, and only then", async () => {
  const partner = "bank-one";
  const suspend = async (name: "partner.suspend" | "partner.resume") =>
    assert((await amal.ask(name, { partner })).ok);
  // Nothing of the credit's dossier: the spread, the key, another partner's IBAN.
  const credit = await request("funding.credit", {
    partner,
    amount_sar: "150000",
    reference: "FT-KEPT",
  });
  assert((await amal.ask("partner.update", { partner, spread_percent: "0.7" })).ok);
  assertEquals((await approve(credit)).decided.state, "done");

  const cases: readonly [string, ActArguments, () => Promise<unknown>, string][] = [
    [
      "iban.set",
      { partner, iban: ACT_IBAN },
      () => suspend("partner.suspend"),
      "State changed from active to suspended",
    ],
    [
      "partner.update",
      { partner, spread_percent: "9" },
      () => amal.ask("partner.update", { partner, spread_percent: "0.8" }),
      "Spread changed from 0.7 % to 0.8 %",
    ],
    [
      "funding.credit",
      { partner, amount_sar: "200000", reference: "FT-RACE" },
      async () => {
        const other = await request("funding.credit", {
          partner,
          amount_sar: "200000",
          reference: "FT-RACE",
        });
        assertEquals((await approve(other)).decided.state, "done");
      },
      "Credited before with this reference changed from no to once, 200,000.00 SAR",
    ],
    [
      "price.set",
      { source: "fixed", mid_price_sar: "500" },
      () => amal.ask("price.set", { source: "simulated" }),
      "Source of prices changed from fixed to simulated",
    ],
    [
      "operator.role.add",
      { operator: "guest", role: "prices" },
      () => amal.ask("operator.disable", { operator: "guest" }),
      "State changed from may act to disabled",
    ],
    [
      "policy.time",
      { seconds: 3_600 },
      async () => {
        assertEquals(
          (await approve(await request("policy.time", { seconds: 7_200 }))).decided.state,
          "done",
        );
      },
      "A request waits changed from 1 day to 2 hours",
    ],
  ];
  for (const [name, input, change, reason] of cases) {
    const id = await request(name, input);
    await change();
    const { decided, shown } = await approve(id);
    assert(decided.state === "void", name);
    assertEquals(decided.reason, `${reason} since this was requested`);
    assert(shown.some((line) => line.startsWith("Changed since it was asked for: ")), name);
    assert(shown.at(-1)!.includes("becomes void"), name);
    assertEquals((await find(id)).reason, decided.reason);
    if (name === "iban.set") await suspend("partner.resume");
  }
});

test("an act that was signed over a dossier that is not true any more, or never was, is refused", async () => {
  const values = { partner: "bank-one", fee_percent: "0.3" };
  const { input } = await described("partner.update", values);
  assert((await amal.ask("partner.update", { ...values, fee_percent: "0.31" })).ok);
  const late = await amal.ask("partner.update", input);
  assertEquals(
    late.ok ? "" : late.detail,
    "Fee changed from 0.25 % to 0.31 % since it was shown: look again",
  );
  const untrue = { ...values, dossier: [{ name: "fee_percent", value: { percent: "0.1" } }] };
  assert(!(await amal.ask("partner.update", untrue)).ok);
  assert(!(await amal.ask("partner.update", { ...values, dossier: "short" })).ok);

  const id = await request("funding.credit", {
    partner: "bank-one",
    amount_sar: "300000",
    reference: "FT-LIE",
  });
  const approval = { request: id, sha256: (await find(id)).sha256 };
  const seen = await described("approval.approve", approval, badr);
  const lie = JSON.parse(argumentsText(seen.input).replace('"sar":"300000"', '"sar":"300"'));
  const refused = await badr.ask("approval.approve", lie);
  assertStringIncludes(refused.ok ? "" : refused.detail, "Amount changed from 300.00 SAR");
  assertEquals((await find(id)).state, "waiting");
});
