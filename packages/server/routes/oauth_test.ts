import { createHash, X509Certificate } from "node:crypto";
import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { issueCertificate, updateCertificate } from "@sabika/office/partners";
import { encodeUtf8 } from "@sabika/protocol";
import { type RawCaller, type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { makeSigningRequest } from "../../../test/support/test_request.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import {
  BASE_URL,
  read,
  signed,
  tokenRequest,
  write,
} from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Decision D76: who is given which token, what it allows, and how it is taken back. Names that end
// in (FAPI) are rows of its table.

const service = await startTestService({ instances: 2 });
after(service.close);
const [bank, other] = service.partners;
const caller = service.caller(bank);

/** Issues a further certificate to the bank, on the operator's terms. */
async function certificate(terms: Parameters<typeof issueCertificate>[3]) {
  const { csr, keyPem } = await makeSigningRequest("bank-a");
  const issued = await issueCertificate(service.admin, "bank-a", csr, terms);
  if (!issued.ok) throw new Error(issued.detail);
  await service.refresh();
  const as: RawCaller = { ...caller, certificatePem: issued.value.pem, keyPem };
  return { hashHex: issued.value.hashHex, as };
}

/** Posts a form as a client does; every argument may differ from a correct token request. */
async function post(
  target: string,
  fields: Record<string, string>,
  as = caller,
  headers: RawRequest["headers"] = [],
) {
  const right = tokenRequest(bank);
  const body = encodeUtf8(new URLSearchParams(fields).toString());
  const request = { ...right, target, body, headers: [...right.headers, ...headers] };
  const answer = await sendRaw(as, request);
  const json = answer.body === "" ? {} : JSON.parse(answer.body);
  return { ...answer, json, got: `${answer.status} ${json.error ?? "ok"}` };
}

const ID = { grant_type: "client_credentials", client_id: "bank-a" };
const FORM = { ...ID, client_secret: bank.kit.clientSecret };
const QUOTE = '{"side":"buy","gold_grams":1}';

test("a token is bound to the certificate, and its key is in the JWKS that the metadata names", async () => {
  const answer = await sendRaw(caller, tokenRequest(bank));
  assertEquals(answer.headers.get("cache-control"), "no-store");
  assertEquals(answer.headers.get("pragma"), "no-cache");
  const { access_token, token_type, expires_in } = JSON.parse(answer.body);
  assertEquals([token_type, expires_in], ["Bearer", 600]);
  const [header, payload] = access_token.split(".").slice(0, 2).map((part: string) =>
    JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")))
  );
  assertEquals([header.alg, header.typ], ["ES256", "at+jwt"]);
  const { iss, aud, sub, env, exp, iat } = payload;
  assertEquals([iss, aud, sub, env], [BASE_URL, BASE_URL, "bank-a", "sandbox"]);
  assertEquals(exp - iat, 600);
  const { raw } = new X509Certificate(caller.certificatePem!);
  const thumbprint = createHash("sha256").update(raw).digest("base64url");
  assertEquals(payload.cnf, { "x5t#S256": thumbprint });
  const { keys } = JSON.parse(
    (await sendRaw(caller, read("/.well-known/jwks.json", access_token))).body,
  );
  assertEquals(keys.map(({ kid, d }: JsonWebKey & { kid: string }) => [kid, d]), [
    [header.kid, undefined],
  ]);
});

test("the metadata names endpoints, their mutual TLS aliases, methods and scopes (FAPI)", async () => {
  const token = await service.token(bank);
  const answer = await sendRaw(caller, read("/.well-known/oauth-authorization-server", token));
  const { mtls_endpoint_aliases: aliases, ...metadata } = JSON.parse(answer.body);
  assertEquals(metadata.issuer, BASE_URL);
  assertEquals(metadata.jwks_uri, `${BASE_URL}/.well-known/jwks.json`);
  const methods = ["client_secret_post", "tls_client_auth"];
  assertEquals(metadata.token_endpoint_auth_methods_supported, methods);
  assertEquals(metadata.revocation_endpoint_auth_methods_supported, methods);
  assertEquals(metadata.scopes_supported, ["read", "trade", "withdraw"]);
  assertEquals(metadata.grant_types_supported, ["client_credentials"]);
  assertEquals(metadata.tls_client_certificate_bound_access_tokens, true);
  assertEquals(aliases, {
    token_endpoint: metadata.token_endpoint,
    revocation_endpoint: metadata.revocation_endpoint,
  });
  for (const url of Object.values(aliases)) {
    assertEquals((await post(new URL(url as string).pathname, {})).got, "400 invalid_request");
  }
});

test("a certificate with tls_client_auth needs no secret, and no other does without (FAPI)", async () => {
  const { as } = await certificate({ tokenAuth: "tls_client_auth" });
  const granted = await post("/oauth/token", ID, as);
  assertEquals(granted.got, "200 ok");
  assertEquals(codeOf(await sendRaw(as, read("/v1/balances", granted.json.access_token))), "ok");
  const missing = await post("/oauth/token", ID);
  assertEquals(missing.got, "400 invalid_request");
  assertEquals(missing.json.error_description, "client_secret is missing.");
  // An unnecessary secret must still be right, and the client's id is required.
  assertEquals((await post("/oauth/token", FORM, as)).got, "200 ok");
  for (const form of [{ ...FORM, client_secret: "wrong" }, { ...ID, client_id: "bank-b" }]) {
    assertEquals((await post("/oauth/token", form, as)).got, "401 invalid_client");
  }
  assertEquals((await post("/oauth/token", { grant_type: ID.grant_type }, as)).status, 400);
});

test("the token endpoint refuses an Authorization header by its name, with and without a secret", async () => {
  const basic = [["Authorization", `Basic ${btoa(`bank-a:${bank.kit.clientSecret}`)}`]] as const;
  const alone = await post("/oauth/token", { grant_type: ID.grant_type }, caller, basic);
  assertEquals(alone.got, "401 invalid_client");
  assertEquals(alone.headers.get("www-authenticate"), 'Basic realm="sabika"');
  assertStringIncludes(alone.json.error_description, "Authorization: Basic is not used here");
  const bearer = await post("/oauth/token", FORM, caller, [["Authorization", "Bearer a.b.c"]]);
  assertStringIncludes(bearer.json.error_description, "Authorization is not used here");
});

test("a token allows what its certificate may, or the part that was asked for (FAPI)", async () => {
  const all = await post("/oauth/token", FORM);
  assertEquals(all.json.scope, "read trade withdraw");
  const part = await post("/oauth/token", { ...FORM, scope: "withdraw read" });
  assertEquals([part.got, part.json.scope], ["200 ok", "read withdraw"]);
  for (const scope of ["admin", "read admin", "read  trade", " "]) {
    assertEquals((await post("/oauth/token", { ...FORM, scope })).got, "400 invalid_scope", scope);
  }
  const { as } = await certificate({ scopes: ["read"] });
  assertEquals((await post("/oauth/token", FORM, as)).json.scope, "read");
  const more = await post("/oauth/token", { ...FORM, scope: "read trade" }, as);
  assertEquals(more.got, "400 invalid_scope");
  assertEquals(more.json.error_description, "This certificate may have: read.");
});

test("what a token does not allow is refused with insufficient_scope (FAPI)", async () => {
  const withScope = async (scope: string) =>
    (await post("/oauth/token", { ...FORM, scope })).json.access_token as string;
  const calls: Record<string, (token: string) => RawRequest | Promise<RawRequest>> = {
    read: (token) => read("/v1/balances", token),
    trade: (token) => write("/v1/quotes", token, QUOTE),
    withdraw: (token) => signed(bank, "/v1/withdrawals", token, '{"amount_sar":0}'),
  };
  for (const allowed of Object.keys(calls)) {
    const token = await withScope(allowed);
    for (const [scope, request] of Object.entries(calls)) {
      const answer = await sendRaw(caller, await request(token));
      const isRefused = codeOf(answer) === "insufficient_scope";
      assertEquals(isRefused, scope !== allowed, `${scope} with ${allowed}: ${answer.body}`);
      if (!isRefused) continue;
      assertEquals(answer.status, 403);
      assertEquals(
        answer.headers.get("www-authenticate"),
        `Bearer realm="sabika", error="insufficient_scope", scope="${scope}"`,
      );
      assertEquals(objectOf(answer).get("meta"), new Map([["scope", scope]]));
    }
    const probe = await signed(bank, "/v1/signed-probe", token, "{}");
    assertEquals(codeOf(await sendRaw(caller, probe)), "ok", "the probe moves nothing");
    const funded = await sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":1}'));
    assertEquals(codeOf(funded), allowed === "trade" ? "ok" : "insufficient_scope");
  }
});

test("a scope that the operator takes from a certificate is gone from its tokens", async () => {
  const { hashHex, as } = await certificate({});
  const { access_token: token } = (await post("/oauth/token", FORM, as)).json;
  const quote = () => sendRaw(as, write("/v1/quotes", token, QUOTE));
  assertEquals(codeOf(await quote()), "ok");
  const updated = await updateCertificate(service.admin, "bank-a", hashHex, { scopes: ["read"] });
  assert(updated.ok);
  await service.refresh();
  assertEquals(codeOf(await quote()), "insufficient_scope");
  assertEquals(codeOf(await sendRaw(as, read("/v1/balances", token))), "ok");
});

test("a partner revokes its token, which every instance refuses then (RFC 7009, FAPI)", async () => {
  const [token, kept] = [await service.token(bank), await service.token(bank)];
  const balances = async (text: string, instance: number) =>
    codeOf(await sendRaw(service.caller(bank, instance), read("/v1/balances", text)));
  assertEquals(await balances(token, 1), "ok");
  assertEquals((await post("/oauth/revoke", { ...FORM, token })).got, "200 ok");
  assertEquals(await balances(token, 0), "token_invalid");
  await service.refresh();
  assertEquals([await balances(token, 1), await balances(kept, 1)], ["token_invalid", "ok"]);

  // A repeat and a text that is no token get 200 too; another client's is refused and stays valid.
  for (const text of [token, "nonsense", `${token}x`]) {
    const hint = { token_type_hint: "refresh_token" };
    assertEquals((await post("/oauth/revoke", { ...FORM, token: text, ...hint })).got, "200 ok");
  }
  assertEquals((await post("/oauth/revoke", FORM)).got, "400 invalid_request");
  const otherToken = await service.token(other);
  const foreign = await post("/oauth/revoke", { ...FORM, token: otherToken });
  assertEquals(foreign.got, "400 unauthorized_client");
  const wrong = { ...FORM, client_secret: "wrong", token: kept };
  assertEquals((await post("/oauth/revoke", wrong)).got, "401 invalid_client");
  await service.refresh();
  assertEquals(await balances(kept, 1), "ok");
  const otherBalances = await sendRaw(service.caller(other), read("/v1/balances", otherToken));
  assertEquals(codeOf(otherBalances), "ok");
});

test("a revocation whose outcome is unknown gets 503: the token may still be valid (RFC 7009)", async () => {
  const token = await service.token(bank);
  const { sql } = service.test.database;
  await sql`create function lose_answer() returns trigger language plpgsql as
    $$ begin raise 'the server ends' using errcode = 'admin_shutdown'; end $$`;
  await sql`create trigger lost before insert on revoked_tokens execute function lose_answer()`;
  const lost = await post("/oauth/revoke", { ...FORM, token });
  assertEquals([lost.got, lost.headers.get("retry-after")], ["503 temporarily_unavailable", "1"]);
  await sql`drop trigger lost on revoked_tokens`;
  assertEquals((await post("/oauth/revoke", { ...FORM, token })).got, "200 ok");
});

test("no token is taken from a query or a body, and no other grant is served (FAPI)", async () => {
  const token = await service.token(bank);
  const query = { ...read(`/v1/balances?access_token=${token}`, ""), headers: [["Host", "x"]] };
  assertEquals(codeOf(await sendRaw(caller, query as unknown as RawRequest)), "token_missing");
  for (const grant_type of ["password", "authorization_code", "refresh_token", "implicit"]) {
    const form = { ...FORM, grant_type, username: "a", password: "b" };
    assertEquals((await post("/oauth/token", form)).got, "400 unsupported_grant_type");
  }
  assertEquals("refresh_token" in (await post("/oauth/token", FORM)).json, false);
});
