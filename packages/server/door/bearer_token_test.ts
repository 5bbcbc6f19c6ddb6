import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { issueCertificate } from "@sabika/office/partners";
import { openRaw, type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { makeSigningRequest } from "../../../test/support/test_request.ts";
import { codeOf } from "../../../test/support/answers.ts";
import { read, tokenRequest } from "../../../test/support/service_requests.ts";
import { testIssuer } from "../../../test/support/test_issuer.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { issueToken } from "../tokens/issue_token.ts";
import { verifyToken } from "../tokens/verify_token.ts";
import { sameTokenCheck } from "./bearer_token.ts";

const service = await startTestService();
after(service.close);
const [a, b] = service.partners;

test("a token ends with its 600th second, even on an open connection and from the cache (F53)", async () => {
  const connection = await openRaw(service.caller(a));
  // Both are of one second.
  service.clock.stoppedAtMs = service.now();
  const [token, unseen] = [await service.token(a), await service.token(a)];
  const { exp } = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  const codeAt = async (msBeforeEnd: number, bearer = token) => {
    service.clock.stoppedAtMs = exp * 1000 - msBeforeEnd;
    return codeOf(await connection.send(read("/v1/balances", bearer)));
  };
  assertEquals(await codeAt(599_000), "ok");
  assertEquals(await codeAt(1), "ok");
  assertEquals(await codeAt(0), "token_expired");
  assertEquals(await codeAt(-1), "token_expired");
  assertEquals(await codeAt(0, unseen), "token_expired");
  assertEquals(await codeAt(1, unseen), "ok");
  delete service.clock.stoppedAtMs;
  connection.close();
});

test("a token for one certificate of a partner is refused with another of its certificates (F49)", async () => {
  const { csr, keyPem } = await makeSigningRequest("bank-a");
  const issued = await issueCertificate(service.admin, "bank-a", csr);
  if (!issued.ok) throw new Error(issued.code);
  await service.refresh();
  const second = { ...service.caller(a), certificatePem: issued.value.pem, keyPem };
  const token = await service.token(a);
  const answer = await sendRaw(second, read("/v1/balances", token));
  assertEquals([answer.status, codeOf(answer)], [401, "token_certificate_mismatch"]);
  // With its own token the second certificate works like the first.
  const rightToken = JSON.parse((await sendRaw(second, tokenRequest(a))).body).access_token;
  assertEquals((await sendRaw(second, read("/v1/balances", rightToken))).status, 200);
});

test("a token is refused for a partner that it does not name, even with the certificate that it names", async () => {
  const { issuer } = await testIssuer(service.now);
  const hashHex = "ab".repeat(32);
  const token = await verifyToken(issuer, await issueToken(issuer, "bank-b", hashHex, ["read"]));
  const check = sameTokenCheck(issuer);
  const codeFor = (clientId: string) => {
    const call = { certificate: { hashHex }, partner: { clientId }, token };
    const checked = check(call as unknown as Parameters<typeof check>[0]);
    return "code" in checked ? checked.code : "ok";
  };
  assertEquals(["bank-b", "bank-a"].map(codeFor), ["ok", "token_certificate_mismatch"]);
});

test("a client's secret is refused with another client's certificate (F55)", async () => {
  const oauth = async (request: RawRequest) => {
    const answer = await sendRaw(service.caller(b), request);
    const { error, error_description } = JSON.parse(answer.body);
    assertEquals(typeof error_description, "string");
    return [answer.status, error];
  };
  const invalid = [401, "invalid_client"];
  for (
    const request of [
      tokenRequest(a),
      tokenRequest(b, { client_secret: a.kit.clientSecret }),
      tokenRequest(b, { client_secret: "wrong" }),
      tokenRequest(b, { client_id: "nobody" }),
    ]
  ) assertEquals(await oauth(request), invalid);
  const right = tokenRequest(b);
  const body = new TextEncoder().encode(`${new TextDecoder().decode(right.body)}&client_id=bank-b`);
  const headers = [["Host", "x"], ["Content-Type", "application/json"]] as const;
  for (
    const request of [
      tokenRequest(b, { client_secret: "" }),
      { ...right, body },
      { ...right, headers },
    ]
  ) assertEquals(await oauth(request), [400, "invalid_request"]);
  assertEquals(await oauth({ ...right, body: new Uint8Array(70_000) }), [413, "invalid_request"]);
});

test("guessing secrets is limited and locks out nobody else (F55)", async () => {
  const wrong = tokenRequest(b, { client_id: "bank-a", client_secret: "guess" });
  const connection = await openRaw(service.caller(b));
  const statuses = new Set<number>();
  // While the clock stands still the limit does not refill, however slow the machine is.
  service.clock.stoppedAtMs = service.now();
  for (let n = 0; n < 130; n++) statuses.add((await connection.send(wrong)).status);
  connection.close();
  assertEquals([...statuses].sort(), [401, 429]);
  assertEquals(typeof await service.token(a), "string");
});
