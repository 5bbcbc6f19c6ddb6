/** What can be asked for of people, before acts need a person; `acts/people_postgresql_test.ts` has signatures. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import { encodeUtf8, importPublicPem, publicJwk, sha256Hex } from "@sabika/protocol";
import { type AdminOutcome, type Role } from "@sabika/terms";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addIdentity, endIdentity, findIdentity } from "./identities.ts";
import { findLink, makeLink } from "./passkeys.ts";
import {
  addOperator,
  addOperatorKey,
  addRole,
  endOperatorKey,
  isPersonName,
  removeRole,
  rotateOperatorKey,
  setOperatorEnabled,
} from "./people.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const { sql } = admin.database;

const codeOf = async (outcome: Promise<AdminOutcome<unknown>>) => {
  const { ok, ...rest } = await outcome;
  return ok ? "ok" : (rest as { code: string }).code;
};

/** The last entry of the audit log, without what is of every entry. */
async function lastEntry() {
  const [row] = await sql<{ action: string; detail: string }[]>`
    select action, detail::text as detail from audit_log order by audit_id desc limit 1`;
  const { from: _from, rows_sha256: _rows, ...detail } = JSON.parse(row!.detail);
  return [row!.action, detail];
}

const rolesOf = async (name: string) =>
  (await sql<{ role: string }[]>`select role from operator_roles
    join operators using (operator_id) where name = ${name} order by role`).map(({ role }) => role);

test("a person has a name of its form that nobody has, and roles that there are", async () => {
  for (const name of ["a", "7", "a.b_c-1", "a".repeat(64)]) assert(isPersonName(name), name);
  for (const name of ["", "A", ".a", "a b", "a\n", "aé", "a".repeat(65)]) {
    assert(!isPersonName(name), name);
  }
  assertEquals(await codeOf(addOperator(admin, "Amal", [])), "invalid_name");
  const unknown = "king" as Role;
  assertEquals(await codeOf(addOperator(admin, "amal", ["vault", unknown])), "invalid_setting");
  assertEquals(await codeOf(addOperator(admin, "amal", ["vault", "auditor", "vault"])), "ok");
  assertEquals(await lastEntry(), [
    "operator.add",
    { operator: "amal", roles: ["vault", "auditor", "vault"] },
  ]);
  assertEquals(await rolesOf("amal"), ["auditor", "vault"]);
  assertEquals(await codeOf(addOperator(admin, "amal", [])), "already_exists");
});

test("roles are given and taken once, and are those that there are", async () => {
  await addOperator(admin, "badr", ["vault"]);
  assertEquals(await codeOf(addRole(admin, "nobody", "support")), "not_found");
  assertEquals(await codeOf(addRole(admin, "badr", "king" as Role)), "invalid_setting");
  assertEquals(await codeOf(addRole(admin, "badr", "support")), "ok");
  assertEquals(await lastEntry(), ["operator.role.add", { operator: "badr", role: "support" }]);
  assertEquals(await codeOf(addRole(admin, "badr", "support")), "already_exists");
  assertEquals(await rolesOf("badr"), ["support", "vault"]);
  assertEquals(await codeOf(removeRole(admin, "badr", "vault")), "ok");
  assertEquals(await lastEntry(), ["operator.role.remove", { operator: "badr", role: "vault" }]);
  assertEquals(await codeOf(removeRole(admin, "badr", "vault")), "not_found");
  assertEquals([await rolesOf("badr"), await rolesOf("amal")], [["support"], ["auditor", "vault"]]);
});

test("a person is disabled and enabled once, and nobody else with them", async () => {
  await addOperator(admin, "carim", []);
  const enabled = async () =>
    (await sql`select name from operators where enabled order by name`).map(({ name }) => name);
  assertEquals(await codeOf(setOperatorEnabled(admin, "carim", true)), "invalid_state");
  assertEquals(await codeOf(setOperatorEnabled(admin, "carim", false)), "ok");
  assertEquals(await lastEntry(), ["operator.disable", { operator: "carim" }]);
  assertEquals(await enabled(), ["amal", "badr"]);
  assertEquals(await codeOf(setOperatorEnabled(admin, "carim", false)), "invalid_state");
  assertEquals(await codeOf(setOperatorEnabled(admin, "carim", true)), "ok");
  assertEquals(await lastEntry(), ["operator.enable", { operator: "carim" }]);
  assertEquals(await enabled(), ["amal", "badr", "carim"]);
});

test("a key is given once to one person, as PEM or JWK, and ends alone", async () => {
  const [first, second] = [await makePersonsKey(), await makePersonsKey()];
  const imported = await importPublicPem(second.publicPem);
  assert(imported.ok);
  const jwk = JSON.stringify(await publicJwk(imported.key));
  for (const wrong of ["", "{", "{}", first.privatePem]) {
    assertEquals(await codeOf(addOperatorKey(admin, "amal", wrong)), "invalid_signing_key", wrong);
  }
  const added = await addOperatorKey(admin, "amal", first.publicPem);
  assert(added.ok);
  const { keyId } = added.value;
  assertEquals(await lastEntry(), ["operator.key.add", { operator: "amal", keyId }]);
  for (const name of ["amal", "badr"]) {
    assertEquals(await codeOf(addOperatorKey(admin, name, first.publicPem)), "key_in_use");
  }
  assertEquals(await codeOf(addOperatorKey(admin, "nobody", jwk)), "not_found");
  assertEquals(await codeOf(addOperatorKey(admin, "amal", ` ${jwk}`)), "ok");
  assertEquals(await codeOf(endOperatorKey(admin, "badr", keyId)), "not_found");
  assertEquals(await codeOf(endOperatorKey(admin, "amal", keyId)), "ok");
  assertEquals(await lastEntry(), ["operator.key.end", { operator: "amal", keyId }]);
  assertEquals(await codeOf(endOperatorKey(admin, "amal", keyId)), "not_found");
  const [left] = await sql`select count(*)::int as n from operator_keys where valid_until is null`;
  assertEquals(left!["n"], 1);
  for (const warrant of [undefined, { breakGlass: "a test" }]) {
    const { publicPem } = await makePersonsKey();
    const rotating = rotateOperatorKey({ ...admin, warrant }, publicPem);
    assertEquals(await codeOf(rotating), "person_required");
  }
});

test("an identity is a URL and a subject of their forms, one person's, and found while valid", async () => {
  const good = { issuer: "https://login.bank.example", subject: "amal-1" };
  const longUrl = (length: number) => "https://".padEnd(length, "a");
  for (
    const wrong of [
      ...["login", "ftp://a", "xhttps://a", "https://", "https://a?b", "https://a#b", longUrl(256)]
        .map((issuer) => ({ issuer })),
      ...["", "é", "éa", "a\n", "\x7f", "a".repeat(256)].map((subject) => ({ subject })),
    ]
  ) {
    const adding = addIdentity(admin, "amal", { ...good, ...wrong });
    assertEquals(await codeOf(adding), "invalid_setting", JSON.stringify(wrong));
  }
  const longest = { issuer: longUrl(255), subject: " ".repeat(255) };
  assertEquals(await codeOf(addIdentity(admin, "carim", longest)), "ok");
  const found = await findIdentity(sql, longest);
  assertEquals([found?.name, found?.roles], ["carim", []]);
  await setOperatorEnabled(admin, "carim", false);
  assertEquals(await findIdentity(sql, longest), undefined);

  assertEquals(await codeOf(addIdentity(admin, "amal", { ...good, issuer: "http://a/b" })), "ok");
  assertEquals(await codeOf(addIdentity(admin, "amal", good)), "ok");
  assertEquals(await lastEntry(), ["operator.identity.add", { operator: "amal", ...good }]);
  assertEquals(await codeOf(addIdentity(admin, "badr", good)), "already_exists");
  assertEquals((await findIdentity(sql, good))?.roles.toSorted(), ["auditor", "vault"]);
  assertEquals(await codeOf(endIdentity(admin, "badr", good)), "not_found");
  assertEquals(await codeOf(endIdentity(admin, "amal", good)), "ok");
  assertEquals(await lastEntry(), ["operator.identity.end", { operator: "amal", ...good }]);
  assertEquals(await findIdentity(sql, good), undefined);
});

test("a link is made once from a hash of its form, and found while its person is enabled", async () => {
  const token = "link-1";
  const hash = await sha256Hex(encodeUtf8(token));
  for (const wrong of ["", hash.toUpperCase(), hash.slice(1), `${hash}00`, `00${hash}`]) {
    assertEquals(await codeOf(makeLink(admin, "amal", wrong)), "invalid_setting", wrong);
  }
  assertEquals(await codeOf(makeLink(admin, "amal", hash)), "ok");
  assertEquals(await lastEntry(), ["operator.link", { operator: "amal", link_sha256: hash }]);
  assertEquals(await codeOf(makeLink(admin, "badr", hash)), "already_exists");
  const found = await findLink(sql, token);
  assertEquals([found?.operator, found?.linkSha256], ["amal", hash]);
  assertEquals(await findLink(sql, "link-2"), undefined);
  const [row] = await sql`select extract(epoch from expires_at - now())::float8 as s
    from operator_links`;
  assert(Math.abs(row!["s"] as number - 86_400) < 60);
  await setOperatorEnabled(admin, "amal", false);
  assertEquals(await findLink(sql, token), undefined);
});
