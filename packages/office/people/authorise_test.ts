/** Who may do an act, check by check; `acts/people_postgresql_test.ts` has what the database adds. */
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { asAuthorised, authorise, refusingUnwarranted } from "./authorise.ts";
import { authoriseMigration } from "./migrate_database.ts";
import { addOperatorKey, endOperatorKey, setOperatorEnabled } from "./people.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const amal = await addPerson(admin, "amal", ["prices"]);
const { signed } = await amal.sign("price.pause", { note: 1 }) as {
  signed: Extract<Parameters<typeof authorise>[1], { signed: unknown }>["signed"];
};

/** Asks for amal's act after so many milliseconds; returns the refusal's code and detail, or undefined. */
async function refusalOf(afterMs = 0, changes: Partial<typeof signed> = {}) {
  const later = { ...admin, now: () => signed.signedAtMs + afterMs };
  const authorised = await authorise(later, { signed: { ...signed, ...changes } });
  return authorised.ok ? undefined : [authorised.code, authorised.detail];
}

test("without people an act needs no signature, and a broken glass a reason of 3 to 256 characters", async () => {
  const unsigned = { name: "price.pause", arguments: { b: 1, a: 2 } };
  const unwarranted = { name: "price.pause", argumentsText: '{"a":2,"b":1}', person: undefined };
  assertEquals(await authorise(admin, unsigned), {
    ok: true,
    value: { ...unwarranted, warrant: undefined },
  } as Awaited<ReturnType<typeof authorise>>);
  for (const breakGlass of ["abc", "a b", "x".repeat(256)]) {
    assertEquals(await authorise(admin, { ...unsigned, breakGlass }), {
      ok: true,
      value: { ...unwarranted, warrant: { breakGlass } },
    } as Awaited<ReturnType<typeof authorise>>);
  }
  for (const breakGlass of ["", "ab", " abc", "abc ", "a\nb", "x".repeat(257)]) {
    const refused = await authorise(admin, { ...unsigned, breakGlass });
    assertEquals(refused.ok || refused.code, "invalid_setting", breakGlass);
  }
  const unknown = await authorise(admin, { name: "no.such.act", arguments: {} });
  assertEquals(unknown.ok || unknown.code, "not_found");
});

test("a signed act is its person's, whose name the audit log gets", async () => {
  const authorised = await authorise(admin, { signed });
  assert(authorised.ok);
  const { argumentsText, person, warrant } = authorised.value;
  assertEquals([argumentsText, person?.name], ['{"note":1}', "amal"]);
  const { operatorId } = person!;
  assertEquals(warrant, { signed, operatorId, keyId: amal.key.keyId } as typeof warrant);
  const acting = asAuthorised(admin, authorised.value);
  assertEquals([acting.actor, acting.warrant], [{ who: "amal", from: "test" }, warrant]);
  // Only a passkey signs on a page.
  const withOffice = { ...admin, passkeyOrigin: "https://office.sabika.example" };
  assert((await authorise(withOffice, { signed })).ok);
  const unsigned = asAuthorised(admin, { ...authorised.value, person: undefined });
  assertEquals(unsigned.actor, admin.actor);
});

test("a database that has people is migrated in the name of who signed for it", async () => {
  const asked: string[] = [];
  const migrating = (act: { signed: typeof signed }) =>
    authoriseMigration(admin, (environment) => {
      asked.push(environment);
      return Promise.resolve(act);
    });
  const authorised = await migrating({ signed });
  assert(authorised.ok);
  assertEquals([authorised.value.actor.who, asked], ["amal", ["sandbox"]]);
  const refused = await migrating({ signed: { ...signed, argumentsText: "{}" } });
  assertEquals(refused.ok || refused.code, "signature_invalid");
});

test("a signature is accepted for five minutes before and after its time", async () => {
  const late = [
    "signature_invalid",
    "the signature is not recent: see that the clock is right",
  ];
  for (const [afterMs, refusal] of [[300_000, undefined], [300_001, late]] as const) {
    assertEquals([await refusalOf(afterMs), await refusalOf(-afterMs)], [refusal, refusal]);
  }
});

test("an act is refused for what is wrong with its signature, key, person or role", async () => {
  assertEquals(await refusalOf(0, { signature: "a..b" }), [
    "signature_invalid",
    "nobody here has the key that signed this",
  ]);
  assertEquals(await refusalOf(0, { argumentsText: "{}" }), [
    "signature_invalid",
    "the signature does not fit the act",
  ]);
  const other = await authorise(admin, await amal.sign("funding.credit"));
  assertEquals(other.ok || [other.code, other.detail], [
    "not_permitted",
    'no role of "amal" opens funding.credit',
  ]);
  await setOperatorEnabled(admin, "amal", false);
  assertEquals(await refusalOf(), ["not_permitted", '"amal" is disabled']);
  await setOperatorEnabled(admin, "amal", true);
  assertEquals(await refusalOf(), undefined);
  await endOperatorKey(admin, "amal", amal.key.keyId);
  const ended = ["not_permitted", 'this key of "amal" has ended'];
  assertEquals(await refusalOf(60_000), ended);
  const [row] = await admin.database.sql`
    select (extract(epoch from valid_until) * 1000)::float8 as ms from operator_keys`;
  const endedMs = Math.round(row!["ms"] as number) - signed.signedAtMs;
  assertEquals([await refusalOf(endedMs - 1), await refusalOf(endedMs)], [undefined, ended]);
});

test("what the database refuses of acts is a refusal, and other errors stay errors", async () => {
  const failing = (constraint_name: string | undefined) =>
    refusingUnwarranted(() => Promise.reject(Object.assign(new Error("x"), { constraint_name })));
  const codeOf = async (name: string) => {
    const outcome = await failing(name);
    return outcome.ok || outcome.code;
  };
  for (const done of ["acts_pk", "cell_acts_pk", "audit_log_act_unique"]) {
    assertEquals(await codeOf(done), "already_exists", done);
  }
  const notPermitted = ["signature", "signer", "second_person", "right"].map((name) =>
    `acts_${name}`
  );
  for (const wrong of [...notPermitted, "audit_log_person", "administrators_least"]) {
    assertEquals(await codeOf(wrong), "not_permitted", wrong);
  }
  await assertRejects(() => failing("operators_pk"), Error, "x");
  await assertRejects(() => failing(undefined), Error, "x");
  const key = await refusingUnwarranted(() => addOperatorKey(admin, "amal", "x"));
  assertEquals(key.ok || key.code, "invalid_signing_key");
});
