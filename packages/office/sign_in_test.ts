import { after, beforeEach, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { listAudit } from "@sabika/service/audit";
import { performAct } from "./acts/perform.ts";
import { byForce } from "../../test/support/by_force.ts";
import { createAuthenticator } from "../../test/support/authenticator.ts";
import { OFFICE_ORIGIN, openTestOffice } from "../../test/support/test_office.ts";

const office = await openTestOffice();
after(() => office.close());
/** Each test begins now or two minutes ahead, so that attempts of the previous test do not count. */
let aheadMs = 0;
beforeEach(() => {
  aheadMs = 122_000 - aheadMs;
  office.admin.clock.nowMs = Date.now() + aheadMs;
});

const HOUR_MS = 3_600_000;
const outcome = ({ status, json }: { status: number; json: { code?: string } }) =>
  json.code === undefined ? String(status) : `${status} ${json.code}`;
const asOwner = (name: string, input: object) =>
  performAct(office.admin, { name, arguments: { ...input }, breakGlass: "a test" });

test("a person registers one passkey by a link, and is signed in", async () => {
  const added = await asOwner("operator.add", { operator: "amal", roles: ["auditor"] });
  assert(added.ok);
  const link = await office.makeLink("amal");
  const amal = office.browser(await createAuthenticator(OFFICE_ORIGIN));
  const enrolled = await amal.enrol(link);
  assertEquals([enrolled.status, enrolled.json.name], [200, "amal"]);
  const cookie = enrolled.headers.get("set-cookie")!;
  const terms = ["__Host-sabika_office=", "; Secure", "; HttpOnly", "SameSite=Strict", "Path=/"];
  for (const term of terms) assertStringIncludes(cookie, term);
  assert(!/domain/i.test(cookie), cookie);
  assertEquals((await amal.get("/me")).json.roles, ["auditor"]);
  const [entry] = await listAudit(office.admin.database.sql, { limit: 1 });
  const { act: _act, signature: _signature, keyId, ...detail } = entry!.detail;
  assertEquals([entry!.action, entry!.who, typeof keyId], [
    "operator.passkey.add",
    "amal",
    "string",
  ]);
  assertEquals(detail, {
    operator: "amal",
    rp_id: new URL(OFFICE_ORIGIN).hostname,
    link_sha256: await sha256Hex(encodeUtf8(link)),
  });

  const thief = office.browser(await createAuthenticator(OFFICE_ORIGIN));
  assertEquals(outcome(await thief.enrol(link)), "404 link_invalid");
  assertEquals(outcome(await thief.enrol("no-such-link")), "404 link_invalid");
  // When two open a link at the same moment, one of them gets the passkey.
  const shared = await office.makeLink("amal");
  const statuses = await Promise.all(
    [1, 2].map(async () =>
      outcome(await office.browser(await createAuthenticator(OFFICE_ORIGIN)).enrol(shared))
    ),
  );
  assertEquals(statuses.filter((status) => status === "200").length, 1, statuses.join());

  const { database } = office.admin;
  const expiredLink = await office.makeLink("amal");
  await byForce(database, "update operator_links set expires_at = now() where used_at is null");
  assertEquals(outcome(await thief.enrol(expiredLink)), "404 link_invalid");
  // Only the link's hash is kept.
  const rows = await database.sql`select * from acts where arguments like ${`%${link}%`}`;
  assertEquals(rows.length, 0);
  assert(!office.logged.some((line) => line.includes(link)));
});

test("a passkey signs its own registration, with its person verified, for this office", async () => {
  await asOwner("operator.add", { operator: "nura", roles: [] });
  const link = await office.makeLink("nura");
  const nura = office.browser(await createAuthenticator(OFFICE_ORIGIN));
  const { json: { options } } = await nura.post("/enrolment/options", { link });
  const mistakes = [
    { origin: "https://office.sabika.example.evil.example" },
    { flags: 0x01 },
    { challenge: "AAAA" },
    { type: "webauthn.get" },
  ];
  for (const wrong of mistakes) {
    const credential = await nura.authenticator.create(options, wrong);
    const answer = await nura.post("/enrolment/act", { link, credential });
    assertEquals(outcome(answer), "401 sign_in_failed", JSON.stringify(wrong));
  }
  const registration = await nura.authenticator.create(options);
  const staged = (await nura.post("/enrolment/act", { link, credential: registration })).json;
  const { act } = staged;
  const otherKey = await createAuthenticator(OFFICE_ORIGIN);
  const credential = await otherKey.get(staged.options);
  const answer = await nura.post("/enrolment", { link, registration, act, credential });
  assertEquals(outcome(answer), "401 signature_invalid");
  // Its signature is accepted for five minutes, and the passkey once.
  const enrol = async () => {
    const own = await nura.authenticator.get(staged.options);
    return outcome(await nura.post("/enrolment", { link, registration, act, credential: own }));
  };
  office.admin.clock.nowMs = act.signed_at * 1_000 + 300_001;
  assertEquals(await enrol(), "401 signature_invalid");
  office.admin.clock.nowMs = act.signed_at * 1_000 + 300_000;
  assertEquals(await enrol(), "200");
  assertEquals(outcome(await nura.enrol(await office.makeLink("nura"))), "409 key_in_use");
});

test("sign-in accepts a passkey's answer to the office's challenge once, and within five minutes", async () => {
  const person = await office.person("badr", ["treasury"]);
  const { authenticator } = person;
  const ask = async () => (await person.post("/sign-in/options", {})).json.options;
  assertEquals((await person.signIn()).json.name, "badr");

  const mistakes = [
    { origin: "https://evil.example" },
    { flags: 0x01 },
    { flags: 0x04 },
    { type: "webauthn.create" },
    { crossOrigin: true },
    { challenge: "AAAA" },
  ];
  for (const wrong of mistakes) {
    const credential = await authenticator.get(await ask(), wrong);
    const answer = await person.post("/sign-in", { credential });
    assertEquals(outcome(answer), "401 sign_in_failed", JSON.stringify(wrong));
  }
  const send = async (credential: object) => outcome(await person.post("/sign-in", { credential }));
  const credential = await authenticator.get(await ask());
  assertEquals(await send(credential), "200");
  const lateAnswer = await authenticator.get(await ask());
  office.admin.clock.nowMs += 5 * 60_000 + 1;
  const unknown = await createAuthenticator(OFFICE_ORIGIN);
  const foreign = await unknown.get(await ask());
  // The last answer is another authenticator's, under the id of this passkey.
  const forged = { ...foreign, id: authenticator.credentialId };
  for (const refused of [credential, lateAnswer, foreign, forged]) {
    assertEquals(await send(refused), "401 sign_in_failed");
  }
});

test("a session ends after 8 hours, unused, by signing out, and with its passkey or person", async () => {
  const { clock } = office.admin;
  const person = await office.person("carim", ["vault"]);
  const readMe = async () => outcome(await person.get("/me"));
  const SIGNED_OUT = "401 sign_in_required";
  for (let minutes = 0; minutes < 8 * 60; minutes += 29) {
    assertEquals(await readMe(), "200", `after ${minutes} minutes`);
    clock.nowMs += 29 * 60_000;
  }
  assertEquals(await readMe(), SIGNED_OUT);
  await person.signIn();
  clock.nowMs += HOUR_MS / 2 + 1;
  assertEquals(await readMe(), SIGNED_OUT);

  await person.signIn();
  const cookie = person.cookie();
  await person.post("/sign-out", {});
  const stolen = await office.send("GET", "/admin/v1/me", { headers: { cookie } });
  assertEquals(outcome(stolen), SIGNED_OUT);
  // Signing in again ends the earlier session.
  await person.signIn();
  const first = person.cookie();
  await person.signIn();
  const ended = await office.send("GET", "/admin/v1/me", { headers: { cookie: first } });
  assertEquals([outcome(ended), await readMe()], [SIGNED_OUT, "200"]);

  await asOwner("operator.disable", { operator: "carim" });
  assertEquals(await readMe(), SIGNED_OUT);
  assertEquals(outcome(await person.signIn()), "401 sign_in_failed");
  await asOwner("operator.enable", { operator: "carim" });
  assertEquals(await readMe(), "200");
  const key_id = (await person.get("/me")).json.key_id;
  await asOwner("operator.key.end", { operator: "carim", key_id });
  assertEquals(await readMe(), SIGNED_OUT);
  assertEquals(outcome(await person.signIn()), "401 sign_in_failed");
});

test("no page of another site changes anything, with the cookie or without", async () => {
  const person = await office.person("dana", ["prices"]);
  const signOut = (headers: Record<string, string>) =>
    office.send("POST", "/admin/v1/sign-out", {
      body: {},
      headers: { cookie: person.cookie(), ...headers },
    }).then(outcome);
  const foreignHeaders: readonly Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: OFFICE_ORIGIN },
    // A browser would send one of the two headers.
    {},
  ];
  for (const headers of foreignHeaders) assertEquals(await signOut(headers), "403 cross_origin");
  assertEquals((await person.get("/me")).status, 200);
  const page = await signOut({ origin: "https://evil.example", cookie: "" });
  assertEquals(page, "403 cross_origin");
  assertEquals(await signOut({ "sec-fetch-site": "same-origin" }), "200");
});

test("a malformed request is refused as a problem, with a code and an id of its own", async () => {
  const send = async (path: string, body: string, type = "application/json") => {
    const answer = await office.app.request(`${OFFICE_ORIGIN}${path}`, {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
    assertEquals(answer.headers.get("content-type"), "application/problem+json");
    assertStringIncludes(answer.headers.get("x-request-id")!, "req_");
    assertEquals(answer.headers.get("cache-control"), "no-store");
    return outcome({ status: answer.status, json: await answer.json() });
  };
  const large = JSON.stringify({ link: "x".repeat(1_100_000) });
  const cases = [
    ["/admin/v1/sign-in", "{", "400 malformed_json"],
    ["/admin/v1/sign-in", '{"a":1,"a":1}', "400 malformed_json"],
    ["/admin/v1/sign-in", '{"a":[-1e400]}', "400 malformed_json"],
    ["/admin/v1/sign-in", "[]", "400 invalid_request"],
    ["/admin/v1/sign-in", "{}", "400 invalid_request"],
    ["/admin/v1/enrolment", large, "413 payload_too_large"],
    ["/nowhere", "{}", "404 not_found"],
  ] as const;
  for (const [path, body, refusal] of cases) assertEquals(await send(path, body), refusal);
  assertEquals(await send("/admin/v1/sign-in", "{}", "text/plain"), "415 unsupported_media_type");
});

test("a session that nobody uses ends, although its person works on in another browser", async () => {
  const { clock } = office.admin;
  assert((await asOwner("operator.add", { operator: "samir", roles: ["vault"] })).ok);
  const authenticator = await createAuthenticator(OFFICE_ORIGIN);
  const [used, left] = [office.browser(authenticator), office.browser(authenticator)] as const;
  await used.enrol(await office.makeLink("samir"));
  await left.signIn();
  const readMe = async () => outcome(await used.get("/me"));
  clock.nowMs += 20 * 60_000;
  assertEquals(await readMe(), "200");
  clock.nowMs += 20 * 60_000;
  assertEquals([await readMe(), outcome(await left.get("/me"))], ["200", "401 sign_in_required"]);
});

test("attempts to sign in are limited, and allowed again after a minute", async () => {
  const { clock } = office.admin;
  const attempt = async () =>
    (await office.send("POST", "/admin/v1/sign-in/options", { body: {} })).status;
  const statuses: number[] = [];
  for (let count = 0; count < 62; count++) statuses.push(await attempt());
  assertEquals(statuses, [...Array(60).fill(200), 429, 429]);
  clock.nowMs += 60_000;
  assertEquals(await attempt(), 200);
});
