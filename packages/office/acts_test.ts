import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { SignedAct } from "@sabika/identity/signatures";
import {
  listOperators,
  type Operator,
  readAuditRecord,
  verifyAudit,
  withAuditRecord,
  writeAuditRecord,
} from "@sabika/service/audit";
import type { StagedAct } from "./office.ts";
import { performAct } from "./acts/perform.ts";
import { listApprovals } from "./acts/read_approvals.ts";
import { admitPartner } from "./partners/admit_partner.ts";
import { spendOperatorNonce } from "./people/sessions.ts";
import { canonicalJson, HEADER, parseJson, signRequest } from "@sabika/protocol";
import { codeOf } from "../../test/support/acts.ts";
import { byForce } from "../../test/support/by_force.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import type { AskedOptions } from "../../test/support/authenticator.ts";
import { OFFICE_ORIGIN, openTestOffice } from "../../test/support/test_office.ts";
import { addPerson } from "../../test/support/test_people.ts";

const office = await openTestOffice();
assert((await admitPartner(office.admin, anAdmission("bank-one"))).ok);
const amal = await office.person("amal", ["administrator", "prices", "treasury"]);
const badr = await office.person("badr", ["administrator", "treasury"]);
const carim = await addPerson(office.admin, "carim", ["prices"], { breakGlass: "a test" });
after(() => office.close());

const outcome = ({ status, json }: { status: number; json: { code?: string } }) =>
  json.code === undefined ? String(status) : `${status} ${json.code}`;
const credit = { partner: "bank-one", amount_sar: "250000", reference: "FT1" };

test("an act is signed by a passkey whose challenge is its hash, and done once", async () => {
  const staged = (await amal.post("/acts/stage", { name: "price.pause", arguments: {} })).json;
  const credential = await amal.authenticator.get(staged.options);
  const ask = () => amal.post("/acts", { act: staged.act, credential });
  const outcomes = (await Promise.all([1, 2, 3, 4].map(ask))).map(outcome).sort();
  assertEquals(outcomes, ["200", ...Array(3).fill("409 already_exists")]);
  assertEquals((await amal.act("price.resume")).json, { state: "done", result: null });
});

test("a stolen cookie alone approves nothing and does nothing", async () => {
  const waiting = await amal.act("funding.credit", credit);
  assertEquals([waiting.status, waiting.json.state], [202, "waiting"]);
  assertEquals(waiting.json.approvers, ["treasury", "administrator"]);
  const request = waiting.json.request;
  const input = { request, sha256: (await pending())[0]!.sha256 };
  const staged = (await badr.post("/acts/stage", { name: "approval.approve", arguments: input }))
    .json;
  const { act } = staged;
  const attempt = async (body: object) => outcome(await badr.post("/acts", body));
  assertEquals(await attempt({ act }), "400 invalid_request");
  assertEquals(await attempt({ act, credential: {} }), "400 invalid_request");
  const pause = (await badr.post("/acts/stage", { name: "price.pause", arguments: {} })).json;
  const signIn = (await badr.post("/sign-in/options", {})).json;
  const validCredential = await badr.authenticator.get(staged.options);
  const bodies = [
    { act, signature: "a..b" },
    // Another person's passkey in the stolen session, and signatures of another act and of sign-in.
    { act, credential: await amal.authenticator.get(staged.options) },
    { act, credential: await badr.authenticator.get(pause.options) },
    { act, credential: await badr.authenticator.get(signIn.options) },
    // The signed act, changed on its way.
    { act: { ...act, id: crypto.randomUUID() }, credential: validCredential },
    { act: { ...act, name: "approval.reject" }, credential: validCredential },
    { act: { ...act, signed_at: act.signed_at + 1 }, credential: validCredential },
    {
      act: { ...act, arguments: { ...input, request: crypto.randomUUID() } },
      credential: validCredential,
    },
  ];
  for (const body of bodies) {
    assertEquals(await attempt(body), "401 signature_invalid", JSON.stringify(body));
  }
  // A signature from another site's page, or without the person present and verified.
  for (const wrong of [{ origin: "https://evil.example" }, { flags: 0x01 }, { flags: 0x04 }]) {
    const credential = await badr.authenticator.get(staged.options, wrong);
    assert(/^401/.test(await attempt({ act, credential })), JSON.stringify(wrong));
  }
  // What it signed elsewhere on the same host, or on this page, in place of a command's signature.
  const [{ keys }] = await listOperators(office.admin.database.sql, "badr") as [Operator];
  for (const origin of [OFFICE_ORIGIN, `${OFFICE_ORIGIN}:8443`]) {
    const { response } = await badr.authenticator.get(staged.options, { origin });
    const { authenticatorData, clientDataJSON, signature: signed } = response;
    const signature = ["webauthn", keys[0]!.keyId, authenticatorData, clientDataJSON, signed].join(
      ".",
    );
    const answer = await office.send("POST", "/admin/v1/acts", { body: { act, signature } });
    assertEquals(outcome(answer), "400 invalid_request");
    if (origin === OFFICE_ORIGIN) continue;
    const content = { argumentsText: canonicalJson(parseJson(JSON.stringify(act.arguments))) };
    const asked = { ...act, ...content, signedAtMs: act.signed_at * 1_000, signature };
    const admin = { ...office.admin, passkeyOrigin: OFFICE_ORIGIN };
    const performed = await performAct(admin, { signed: asked });
    assertEquals(
      performed.ok ? "done" : performed.detail,
      "the passkey signed on a page that is not the office's",
    );
  }
  // Without the cookie the passkey is not enough.
  const signedOut = await office.send("POST", "/admin/v1/acts", {
    body: { act, credential: validCredential },
    headers: { origin: OFFICE_ORIGIN },
  });
  assertEquals(outcome(signedOut), "401 sign_in_required");
  assertEquals((await pending()).length, 1);

  // The requester cannot approve, even signed; the second person can.
  assertEquals(outcome(await amal.act("approval.approve", input)), "403 not_permitted");
  const done = await badr.post("/acts", { act, credential: validCredential });
  assertEquals([done.status, done.json.result.state], [200, "done"]);
  assertEquals((await pending()).length, 0);
});

test("an act is refused without a role for it, and with a late signature", async () => {
  assertEquals(outcome(await badr.act("vault.allocate", {})), "403 not_permitted");
  assertEquals(outcome(await amal.act("price.set", { source: "moon" })), "422 invalid_setting");
  // Unknown acts, and acts that only the command can do, such as those with master key files.
  for (const name of ["no.such.act", "toString", "master-key.rotate", "operator.passkey.add"]) {
    assertEquals(outcome(await amal.act(name)), "404 not_found", name);
  }
  const staged = (await amal.post("/acts/stage", { name: "price.pause", arguments: {} })).json;
  const credential = await amal.authenticator.get(staged.options);
  office.admin.clock.nowMs += 302_000;
  const lateAnswer = await amal.post("/acts", { act: staged.act, credential });
  office.admin.clock.nowMs -= 302_000;
  assertEquals(outcome(lateAnswer), "401 signature_invalid");
});

test("acts signed together are each done, by a signature that fits them alone (D99)", async () => {
  const { office: place, admin: { database: { sql } } } = office;
  const [{ operatorId, name, roles, keys }] = await listOperators(sql, "amal") as [Operator];
  const viewer = { name, operatorId, roles, keyId: keys[0]!.keyId, signedInUntilMs: null };
  const references = ["TT-1", "TT-2", "TT-3"];
  const acts = await Promise.all(references.map(async (reference) => {
    const small = { ...credit, amount_sar: "5", reference };
    const staged = await place.stageAct(viewer, "funding.credit", small);
    assert(staged.ok);
    return staged.value;
  }));
  const [first, second, third] = acts;
  const options = await place.optionsForAll(viewer, [first!, second!]);
  const credential = await amal.authenticator.get(options as AskedOptions);
  const hashes = acts.map(({ hash }) => hash);
  const together = hashes.slice(0, 2);
  const attempt = async (act: StagedAct, together?: string[]) => {
    const signed = { ...act, credential, ...together && { together } };
    return codeOf(await place.performSigned(viewer, signed, "a test"));
  };
  const wrong = [undefined, [hashes[0]!], together.toReversed(), hashes, [...together, "x"]];
  for (const list of wrong) assertEquals(await attempt(first!, list), "signature_invalid");
  assertEquals(await attempt(third!, together), "signature_invalid");
  assertEquals(await attempt(first!, together), "done");
  assertEquals(await attempt(second!, together), "done");
  // The database judges the same by itself.
  const fits = async (list: readonly string[], act = first!) => {
    const [row] = await sql<{ fits: boolean }[]>`
      select is_act_signed((${act.id}::uuid, name, arguments, signed_at, operator_id, key_id,
        array_to_string((string_to_array(signature, '.'))[:5]
          || string_to_array(${list.join(".")}, '.'), '.'))::acts) as fits
      from acts where act_id = ${first!.id}::uuid`;
    return row!.fits;
  };
  assertEquals(await fits(together), true);
  for (const list of [[], ...wrong.slice(1)]) assertEquals(await fits(list ?? []), false);
  assertEquals(await fits(together, second), false);
});

test("a command's key signs acts, and requests that are accepted once each", async () => {
  const nowSeconds = () => Math.floor(office.admin.now() / 1000);
  const signed = async (change: { url?: string; timestampSeconds?: number } = {}) =>
    await signRequest({
      method: "GET",
      url: `${OFFICE_ORIGIN}/admin/v1/me`,
      body: new Uint8Array(),
      timestampSeconds: nowSeconds(),
      nonce: crypto.randomUUID(),
      ...carim.key,
      ...change,
    });
  const get = async (headers: object) =>
    await office.send("GET", "/admin/v1/me", { headers: { ...headers } });
  const headers = await signed();
  const { json } = await get(headers);
  assertEquals([json.name, json.signed_in_until], ["carim", null]);
  assertEquals(outcome(await get(headers)), "401 nonce_reused");
  // Signed five minutes ahead, a request is in time for ten.
  const nonce = { keyId: carim.key.keyId, nonce: crypto.randomUUID() };
  const spends = [0, 600_000].map((ms) => ({ sql: office.admin.database.sql, nowMs: ms }));
  assertEquals(await spendOperatorNonce(spends[0]!, nonce), true);
  assertEquals(await spendOperatorNonce(spends[1]!, nonce), false);
  const otherSite = await signed({ url: "https://other.example/admin/v1/me" });
  assertEquals(outcome(await get(otherSite)), "401 signature_invalid");
  const lateHeaders = await signed({ timestampSeconds: nowSeconds() - 301 });
  assertEquals(outcome(await get(lateHeaders)), "401 timestamp_out_of_window");
  const broken = { ...await signed(), [HEADER.jwsSignature]: "a..b" };
  assertEquals(outcome(await get(broken)), "401 signature_malformed");

  const ask = async (name: string) => {
    const asked = await carim.sign(name);
    const { id, argumentsText, signedAtMs, signature } = (asked as { signed: SignedAct }).signed;
    const act = { id, name, arguments: JSON.parse(argumentsText), signed_at: signedAtMs / 1000 };
    return await office.send("POST", "/admin/v1/acts", { body: { act, signature } });
  };
  assertEquals((await ask("price.pause")).json.state, "done");
  assertEquals((await ask("price.resume")).json.state, "done");
  assertEquals(outcome(await ask("vault.bar.remove")), "403 not_permitted");
});

test("audit verify names who signed with a passkey, from an export too, and finds a changed byte", async () => {
  const { database } = office.admin;
  const { findings, signed } = await withAuditRecord(database.sql, verifyAudit);
  assertEquals(findings, []);
  assert(signed >= 7, `${signed} signed`);
  const lines: string[] = [];
  await withAuditRecord(database.sql, async (record) => {
    for await (const line of writeAuditRecord(record)) lines.push(line);
  });
  const offline = async (record: string[]) =>
    (await verifyAudit(readAuditRecord(record.join("\n") + "\n"))).findings;
  assertEquals(await offline(lines), []);

  const index = lines.findLastIndex((line) => line.includes('"approval.approve"'));
  const credentialAt = lines[index]!.indexOf("webauthn.");
  assert(credentialAt > 0);
  const patterns = [
    /("act":\{"id":"[^"]+","name":"approval.)(a)/,
    /(webauthn\.[\w-]{43}\.[\w-]{10})(\w)/,
    /("signature":"webauthn\.[\w-]{43}\.[\w-]+\.[\w-]{20})(\w)/,
  ];
  for (const pattern of patterns) {
    const line = lines[index]!.replace(
      pattern,
      (_, before: string, letter: string) => before + (letter === "A" ? "B" : "A"),
    );
    const changed = lines.with(index, line);
    assert(changed[index] !== lines[index], String(pattern));
    const found = await offline(changed);
    assert(found.some(({ auditId }) => auditId === BigInt(index)), String(pattern));
  }
  // A passkey for another host, and one that no link was made for.
  const [head] = lines;
  const moved = head!.replaceAll(new URL(OFFICE_ORIGIN).hostname, "evil.example");
  assert((await offline(lines.with(0, moved))).every(({ finding }) => finding === "forged"));
  assert((await offline(lines.with(0, moved))).length > 0);
  await byForce(
    database,
    `update acts set arguments = replace(arguments, 'link_sha256":"', 'link_sha256":"0')
      where name = 'operator.passkey.add'`,
  );
  const forged = (await withAuditRecord(database.sql, verifyAudit)).findings;
  assert(
    forged.some(({ message }) => message.includes("nobody gave")),
    forged.map(({ message }) => message).join(),
  );
});

async function pending(): Promise<{ sha256: string }[]> {
  const { admin } = office;
  return await listApprovals(admin.database.sql, "sandbox", { nowMs: admin.now() });
}
