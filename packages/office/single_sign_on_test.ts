import { after, beforeEach, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { performAct } from "./acts/perform.ts";
import { openTestProvider } from "../../test/support/openid_provider.ts";
import { OFFICE_ORIGIN, openTestOffice } from "../../test/support/test_office.ts";
import { createSingleSignOn } from "./single_sign_on.ts";

const START = `${OFFICE_ORIGIN}/admin/v1/single-sign-on`;
const RETURN = `${START}/return`;

/** Lets a test change the provider's answers on their way to the office. */
let alter: (url: string, answer: Response) => Response | Promise<Response> = (_, answer) => answer;
const provider = await openTestProvider(RETURN);
const fetch = async (url: string | URL | Request, init?: RequestInit) =>
  await alter(String(url), await globalThis.fetch(url, init));
const now = () => office.admin.now();
const office = await openTestOffice({
  singleSignOn: createSingleSignOn(provider, { redirectUri: RETURN, fetch, now }),
});
const amal = await office.person("amal", ["administrator"]);
const badr = await office.person("badr", ["administrator"]);
after(async () => {
  await office.close();
  await provider.close();
});

const identity = (subject: string) => ({ issuer: provider.issuer, subject });
const owner = async (name: string, input: object) => {
  const outcome = await performAct(office.admin, {
    name,
    arguments: { ...input },
    breakGlass: "a test",
  });
  assert(outcome.ok, JSON.stringify(outcome));
};

await owner("operator.identity.add", { operator: "badr", ...identity("badr-17") });

/** Each test begins now or two minutes ahead, so that attempts of the previous test do not count. */
let aheadMs = 0;
beforeEach(() => {
  aheadMs = 122_000 - aheadMs;
  office.admin.clock.nowMs = Date.now() + aheadMs;
  alter = (_, answer) => answer;
  provider.person.subject = "badr-17";
});

/** Sends a browser to the provider; returns the cookie it keeps and the URL of the redirect. */
async function leave(session = "", query = ""): Promise<{ cookie: string; url: string }> {
  const answer = await office.app.request(START + query, { headers: { cookie: session } });
  assertEquals(answer.status, 303);
  const [cookie] = answer.headers.getSetCookie().map((line) => line.split(";")[0]!);
  return { cookie: cookie!, url: answer.headers.get("location")! };
}

const comeBack = async (url: string, cookie: string) =>
  await office.app.request(url, { headers: { cookie } });

/** Returns the refusal that a browser gets when it comes back, or the status of another answer. */
async function refusal(url: string, cookie: string): Promise<string> {
  const { status, headers } = await comeBack(url, cookie);
  const set = headers.getSetCookie().join();
  assert(!set.includes("__Host-sabika_office"), "nobody is signed in");
  return status === 303 ? headers.get("location")!.replace("/sign-in?refused=", "") : `${status}`;
}

async function signIn(session?: string): Promise<{ answer: Response; cookie: string }> {
  const { cookie, url } = await leave(session);
  const answer = await comeBack(await provider.follow(url), cookie);
  const found = answer.headers.getSetCookie().find((line) => line.includes("sabika_office="));
  return { answer, cookie: found?.split(";")[0] ?? "" };
}

const readMe = (cookie: string) => office.send("GET", "/admin/v1/me", { headers: { cookie } });

test("a person known by issuer and subject signs in through the provider, and out again", async () => {
  const { searchParams } = new URL((await leave()).url);
  const cases = [
    ["response_type", "code"],
    ["code_challenge_method", "S256"],
    ["redirect_uri", RETURN],
    ["scope", "openid"],
  ];
  for (const [name, value] of cases) assertEquals(searchParams.get(name!), value);
  for (const name of ["state", "nonce", "code_challenge"]) {
    assertEquals(searchParams.get(name)!.length, 43, name);
  }
  const { answer, cookie } = await signIn();
  assertEquals([answer.status, answer.headers.get("refresh")], [200, "0; url=/"]);
  const set = answer.headers.getSetCookie().join("\n");
  const terms = ["SameSite=Strict", "HttpOnly", "Secure", "sabika_single_sign_on=; Max-Age=0"];
  for (const term of terms) {
    assertStringIncludes(set, term);
  }
  const { json } = await readMe(cookie);
  assertEquals([json.name, json.roles, json.key_id], ["badr", ["administrator"], null]);
  await badr.post("/sign-out", {}, { cookie });
  assertEquals((await readMe(cookie)).json.code, "sign_in_required");
});

test("the page that was asked for is shown after signing in, if it is the office's", async () => {
  const cases = [
    ["/ar/orders?side=buy&from=2026-11-01", "/ar/orders?side=buy&from=2026-11-01"],
    ["https://evil.example/", "/"],
    ["//evil.example", "/"],
    [`/en?${"x".repeat(2_000)}`, "/"],
  ];
  for (const [next, shown] of cases) {
    const { cookie, url } = await leave("", `?${new URLSearchParams({ next: next! })}`);
    const answer = await comeBack(await provider.follow(url), cookie);
    assertEquals(answer.headers.get("refresh"), `0; url=${shown}`);
    assertStringIncludes(await answer.text(), `<a href="${shown!.replaceAll("&", "&amp;")}">`);
  }
});

test("the session that a browser left with ends when the browser comes back, and not before", async () => {
  const first = (await signIn()).cookie;
  const { url, cookie } = await leave(first);
  assertEquals((await readMe(first)).status, 200);
  const failed = await refusal(`${RETURN}?state=x&code=${url.length}`, cookie);
  assertEquals(failed, "single_sign_on_failed");
  assertEquals((await readMe(first)).status, 200);
  const second = (await signIn(first)).cookie;
  assertEquals([(await readMe(first)).status, (await readMe(second)).status], [401, 200]);
});

test("a session opened through the provider stages acts, and does none without a passkey", async () => {
  const { cookie } = await signIn();
  const pause = { name: "price.pause", arguments: {} };
  const { act, options } = (await badr.post("/acts/stage", pause, { cookie })).json;
  const attempt = async (body: object) => (await badr.post("/acts", body, { cookie })).json;
  assertEquals((await attempt({ act })).code, "invalid_request");
  const foreign = await amal.authenticator.get(options);
  assertEquals((await attempt({ act, credential: foreign })).code, "signature_invalid");
  const credential = await badr.authenticator.get(options);
  assertEquals((await attempt({ act, credential })).state, "done");
});

test("another's answer, a repeated answer and a changed one let nobody in", async () => {
  const changed = (url: string, name: string, value: string | null) => {
    const target = new URL(url);
    if (value === null) target.searchParams.delete(name);
    else target.searchParams.set(name, value);
    return target.href;
  };
  const otherBrowser = await leave();
  const othersUrl = await provider.follow((await leave()).url);
  const cases: readonly [string, (url: string, cookie: string) => readonly [string, string]][] = [
    ["no cookie", (url) => [url, ""]],
    ["another browser's cookie", (url) => [url, otherBrowser.cookie]],
    ["another's answer", (_, cookie) => [othersUrl, cookie]],
    ["another state", (url, cookie) => [changed(url, "state", "x".repeat(43)), cookie]],
    ["another issuer", (url, cookie) => [changed(url, "iss", "https://evil.example"), cookie]],
    ["no issuer", (url, cookie) => [changed(url, "iss", null), cookie]],
    ["another code", (url, cookie) => [changed(url, "code", "x".repeat(43)), cookie]],
    ["no code", (url, cookie) => [changed(url, "code", null), cookie]],
    ["an error", (url, cookie) => [changed(url, "error", "access_denied"), cookie]],
    ["another nonce", (url, cookie) => [url, cookie.replace(/\.[^.]+\./, `.${"x".repeat(43)}.`)]],
    ["another verifier", (url, cookie) => [url, cookie.replace(/[^.]+$/, "x".repeat(43))]],
  ];
  for (const [name, change] of cases) {
    const { url, cookie } = await leave();
    const href = await provider.follow(url);
    assertEquals([name, await refusal(...change(href, cookie))], [name, "single_sign_on_failed"]);
  }
  const { url, cookie } = await leave();
  const href = await provider.follow(url);
  assertEquals((await comeBack(href, cookie)).status, 200);
  assertEquals(await refusal(href, cookie), "single_sign_on_failed");
  const lateSignIn = await leave();
  office.admin.clock.nowMs += 5 * 60_000 + 1;
  const expired = await refusal(await provider.follow(lateSignIn.url), lateSignIn.cookie);
  assertEquals(expired, "single_sign_on_failed");
  assert(!office.logged.some((line) => line.includes(new URL(href).searchParams.get("code")!)));
});

test("an ID token that the provider's key did not sign lets nobody in", async () => {
  alter = async (url, answer) => {
    if (!url.endsWith("/token")) return answer;
    const tokens = await answer.json();
    const [head, payload, signature] = tokens.id_token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "badr-17" })).toString("base64url");
    return Response.json({ ...tokens, id_token: [head, forged, signature].join(".") });
  };
  provider.person.subject = "somebody-else";
  const { url, cookie } = await leave();
  assertEquals(await refusal(await provider.follow(url), cookie), "single_sign_on_failed");
});

test("unknown and ended identities and disabled persons are refused, and e-mail lets nobody in", async () => {
  const attempt = async (subject: string) => {
    Object.assign(provider.person, { subject, email: "badr@bank.example" });
    const { url, cookie } = await leave();
    return await refusal(await provider.follow(url), cookie);
  };
  assertEquals(await attempt("badr"), "identity_unknown");
  assertEquals(await attempt("BADR-17"), "identity_unknown");

  await office.person("carim", ["auditor"]);
  await owner("operator.identity.add", { operator: "carim", ...identity("carim-1") });
  await owner("operator.identity.add", { operator: "carim", ...identity("carim-2") });
  provider.person.subject = "carim-1";
  const { cookie } = await signIn();
  provider.person.subject = "carim-2";
  const second = (await signIn()).cookie;
  const names = [(await readMe(cookie)).json.name, (await readMe(second)).json.name];
  assertEquals(names, ["carim", "carim"]);
  await owner("operator.identity.end", { operator: "carim", ...identity("carim-1") });
  assertEquals((await readMe(cookie)).status, 401);
  assertEquals((await readMe(second)).status, 200);
  assertEquals(await attempt("carim-1"), "identity_unknown");
  await owner("operator.disable", { operator: "carim" });
  assertEquals((await readMe(second)).status, 401);
  assertEquals(await attempt("carim-2"), "identity_unknown");
});

test("an identity belongs to one person, and is ended for that person alone", async () => {
  const taken = { operator: "amal", ...identity("badr-17") };
  const repeated = await performAct(office.admin, {
    name: "operator.identity.add",
    arguments: taken,
    breakGlass: "a test",
  });
  assertEquals(repeated.ok ? "" : repeated.code, "already_exists");
  assertEquals((await amal.act("operator.identity.end", taken)).json.code, "not_found");
});

test("while the provider is away passkeys let people in, and attempts are limited", async () => {
  alter = () => Promise.reject(new TypeError("fetch failed"));
  office.admin.clock.nowMs += 2 * 3_600_000;
  const refused = await office.app.request(START);
  assertEquals(refused.headers.get("location"), "/sign-in?refused=single_sign_on_unavailable");
  assertEquals((await badr.signIn()).status, 200);
  alter = (_, answer) => answer;
  for (let n = 0; n < 60; n++) await office.app.request(START);
  assertEquals((await office.app.request(START)).status, 429);
});
