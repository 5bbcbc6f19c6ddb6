import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { addKey, addOperator, addPerson } from "../../../test/support/test_people.ts";
import { readEnvironment } from "./read_environment.ts";
import { findSigner, listOperators, readPeopleSince } from "./read_operators.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const { database, database: { sql } } = admin;
const badr = await addPerson(admin, "badr", ["vault", "prices"]);
const amal = await addPerson(admin, "amal", ["auditor"]);
const second = await addKey(admin, "badr");
await addOperator(admin, "carim", []);
await byForce(
  database,
  `update operator_keys set credential_id = 'c-' || key_id, rp_id = 'office.example'
    where key_id in ('${amal.key.keyId}', '${second.key.keyId}')`,
  `update operator_keys set valid_from = valid_from - interval '2 s',
      valid_until = valid_from - interval '1 s'
    where key_id = '${badr.key.keyId}'`,
);
await sql`insert into operator_identities (operator_id, issuer, subject)
  select operator_id, 'https://login.example', name || '-1' from operators where name <> 'carim'`;

test("people are listed by name, each with their own roles, keys and identities", async () => {
  const people = await listOperators(sql);
  assertEquals(
    people.map(({ name, enabled, roles, keys, identities }) => [
      name,
      enabled,
      roles,
      keys.map(({ keyId, rpId }) => [keyId, rpId]),
      identities.map(({ issuer, subject, validUntilMs }) => [issuer, subject, validUntilMs]),
    ]),
    [
      ["amal", true, ["auditor"], [[amal.key.keyId, "office.example"]], [
        ["https://login.example", "amal-1", null],
      ]],
      ["badr", true, ["prices", "vault"], [
        [badr.key.keyId, null],
        [second.key.keyId, "office.example"],
      ], [["https://login.example", "badr-1", null]]],
      ["carim", true, [], [], []],
    ],
  );
  const [key] = people[1]!.keys;
  assertEquals(key!.validUntilMs, key!.validFromMs + 1_000);
  assertEquals((await listOperators(sql, "badr")).map(({ name }) => name), ["badr"]);
  assertEquals(await listOperators(sql, "nobody"), []);
});

test("the owner of a key is found by its id or its credential's, with their roles", async () => {
  const signer = async (by: Parameters<typeof findSigner>[1]) => {
    const found = await findSigner(sql, by);
    return found && [found.name, found.roles.toSorted().join(), found.key.keyId, found.key.rpId];
  };
  const { keyId } = second.key;
  const found = ["badr", "prices,vault", keyId, "office.example"];
  assertEquals(await signer({ keyId }), found);
  assertEquals(await signer({ credentialId: `c-${keyId}` }), found);
  assertEquals(await signer({ keyId: "of nobody" }), undefined);
  assertEquals(await signer({ credentialId: keyId }), undefined);
  await sql`delete from operator_roles where operator_id = (
    select operator_id from operators where name = 'amal')`;
  assertEquals((await findSigner(sql, { keyId: amal.key.keyId }))?.roles, []);
});

test("an environment and since when acts need a person are unknown until they are known", async () => {
  assertEquals(await readPeopleSince(sql), null);
  await sql`update office set people_since = '2026-11-01'`;
  assertEquals(await readPeopleSince(sql), Date.UTC(2026, 10, 1));
  assertEquals(await readEnvironment(database), "sandbox");
  const fresh = await openTestDatabase();
  assertEquals(await readEnvironment(fresh.database), undefined);
  await fresh.database.sql`drop table deployment cascade`;
  assertEquals(await readEnvironment(fresh.database), undefined);
  await fresh.close();
});
