import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import type { AdminOutcome, Role } from "@sabika/terms";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addIdentity, endIdentity, findIdentity } from "./identities.ts";
import { makeLink } from "./passkeys.ts";
import {
  addOperator,
  addOperatorKey,
  addRole,
  endOperatorKey,
  removeRole,
  rotateOperatorKey,
  setOperatorEnabled,
} from "./people.ts";
import { findSession, openSession } from "./sessions.ts";

const admin = await openTestAdmin();
after(admin.close);
const { sql } = admin.database;

/** Returns the code of a refusal, or `ok`. */
async function codeOf(outcome: Promise<AdminOutcome<unknown>>): Promise<string> {
  const done = await outcome;
  return done.ok ? "ok" : done.code;
}

const rolesOf = async (name: string) =>
  (await sql<{ role: string }[]>`
    select role from operator_roles join operators using (operator_id)
    where name = ${name} order by role`).map(({ role }) => role);

/** The last entry of the audit: its action, and what it says of these. */
async function lastEntry(...names: string[]) {
  const [row] = await sql<{ action: string; detail: string }[]>`
    select action, detail from audit_log order by audit_id desc limit 1`;
  const detail = JSON.parse(row!.detail);
  return [row!.action, ...names.map((name) => detail[name])];
}

const keyPem = async () => (await makePersonsKey()).publicPem;

test("a person is added once, with roles that exist, under a name of lower-case letters", async () => {
  assertEquals(await codeOf(addOperator(admin, "sara", ["treasury", "treasury"])), "ok");
  assertEquals(await codeOf(addOperator(admin, "sara", [])), "already_exists");
  for (const name of ["Sara", "", "x".repeat(65), ".x", "a b"]) {
    assertEquals(await codeOf(addOperator(admin, name, [])), "invalid_name", name);
  }
  assertEquals(await codeOf(addOperator(admin, "x".repeat(64), [])), "ok");
  assertEquals(await codeOf(addOperator(admin, "omar", ["king" as Role])), "invalid_setting");
  assertEquals(await codeOf(addRole(admin, "omar", "treasury")), "not_found");
});

test("a role is given and taken once, and both are recorded with it", async () => {
  assertEquals(await codeOf(addRole(admin, "sara", "auditor")), "ok");
  const entry = () => lastEntry("operator", "role");
  assertEquals(await entry(), ["operator.role.add", "sara", "auditor"]);
  assertEquals(await codeOf(addRole(admin, "sara", "auditor")), "already_exists");
  assertEquals(await codeOf(addRole(admin, "sara", "king" as Role)), "invalid_setting");
  assertEquals(await rolesOf("sara"), ["auditor", "treasury"]);
  assertEquals(await codeOf(removeRole(admin, "sara", "auditor")), "ok");
  assertEquals(await entry(), ["operator.role.remove", "sara", "auditor"]);
  assertEquals(await codeOf(removeRole(admin, "sara", "auditor")), "not_found");
  assertEquals(await rolesOf("sara"), ["treasury"]);
});

test("a person is disabled and enabled once", async () => {
  const set = (enabled: boolean) => codeOf(setOperatorEnabled(admin, "sara", enabled));
  assertEquals(await set(true), "invalid_state");
  assertEquals([await set(false), await set(false)], ["ok", "invalid_state"]);
  assertEquals([await set(true), await set(true)], ["ok", "invalid_state"]);
});

test("a key is on P-256, is registered once, and ends once", async () => {
  const pem = await keyPem();
  for (const wrong of ["{", "{}", "no key", pem.slice(60)]) {
    assertEquals(await codeOf(addOperatorKey(admin, "sara", wrong)), "invalid_signing_key");
  }
  const added = await addOperatorKey(admin, "sara", pem);
  assert(added.ok);
  assertEquals(await codeOf(addOperatorKey(admin, "sara", pem)), "key_in_use");
  assertEquals(await codeOf(endOperatorKey(admin, "sara", "unknown")), "not_found");
  assertEquals(await codeOf(endOperatorKey(admin, "sara", added.value.keyId)), "ok");
  assertEquals(await codeOf(endOperatorKey(admin, "sara", added.value.keyId)), "not_found");
});

test("nobody but the person rotates a key", async () => {
  const key = await keyPem();
  assertEquals(await codeOf(rotateOperatorKey(admin, key)), "person_required");
  const byForce = { ...admin, warrant: { breakGlass: "a test" } } as unknown as typeof admin;
  assertEquals(await codeOf(rotateOperatorKey(byForce, key)), "person_required");
});

test("an identity is an issuer's URL and what it calls the person, and is one person's", async () => {
  const issuer = "https://login.example/a";
  const identity = { issuer, subject: "1" };
  const add = (more: object) => codeOf(addIdentity(admin, "sara", { ...identity, ...more }));
  for (const wrong of ["login.example", "x https://a", "https://a?b", "https://a#b", "https://"]) {
    assertEquals(await add({ issuer: wrong }), "invalid_setting", wrong);
  }
  for (const subject of ["", "ü", "1\n", "x".repeat(256)]) {
    assertEquals(await add({ subject }), "invalid_setting", subject);
  }
  assertEquals(await add({ issuer: `https://${"a".repeat(248)}` }), "invalid_setting");
  const longest = { issuer: `http://${"a".repeat(248)}`, subject: "x".repeat(255) };
  assertEquals(await add(longest), "ok");
  assertEquals(await add({}), "ok");
  const entry = await lastEntry("operator", "issuer", "subject");
  assertEquals(entry, ["operator.identity.add", "sara", issuer, "1"]);
  assertEquals(await add({}), "already_exists");
  assertEquals((await findIdentity(sql, identity))?.roles, ["treasury"]);
  assertEquals(await codeOf(endIdentity(admin, "sara", longest)), "ok");
  assertEquals(await codeOf(endIdentity(admin, "sara", longest)), "not_found");
  assertEquals((await findIdentity(sql, identity))?.name, "sara");
  assertEquals(await findIdentity(sql, longest), undefined);
});

test("a person without a role is known, and may be signed in", async () => {
  const identity = { issuer: "https://login.example/a", subject: "2" };
  assertEquals(await codeOf(addOperator(admin, "nobody", [])), "ok");
  assertEquals(await codeOf(addIdentity(admin, "nobody", identity)), "ok");
  const person = await findIdentity(sql, identity);
  assertEquals([person?.name, person?.roles], ["nobody", []]);
  const context = { sql, nowMs: admin.now(), random: admin.random };
  const { operatorId, identityId } = person!;
  const { token } = await openSession(context, { operatorId, from: "here", identityId });
  assertEquals((await findSession(context, token))?.roles, []);
});

test("a link is given as the SHA-256 of its token", async () => {
  const link = (hash: string) => codeOf(makeLink(admin, "sara", hash));
  const hash = "0a".repeat(32);
  for (const wrong of ["", hash.toUpperCase(), `${hash}0a`, `x${hash}`]) {
    assertEquals(await link(wrong), "invalid_setting", wrong);
  }
  assertEquals([await link(hash), await link(hash)], ["ok", "already_exists"]);
});
