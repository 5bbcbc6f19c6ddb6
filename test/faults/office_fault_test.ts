/** The operator's office of a real stack: the first person's way in, nothing of it on the partners' edge. */
import { assertEquals } from "@std/assert";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { openKit } from "@sabika/client";
import { testRecord } from "../secret_search/record.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { sendRaw } from "../support/raw_https.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { createTestBrowser, type SendToOffice } from "../support/test_browser.ts";
import { until } from "../support/until.ts";

describe("the operator's office of a real stack", () => {
  let test: TestStack;
  let url = "";
  before(async () => {
    test = await openTestStack({ instances: 1, partners: 1, office: { port: 0 } });
    url = test.stack.office!.url;
  });
  after(() => test.close());

  const send: SendToOffice = async (method, path, { body, headers = {} } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: await answer.json() };
  };

  it("lets the first person in by a link, with pages and API on one listener", async () => {
    const [origin, link] = test.stack.office!.enrolUrl!.split("/enrol#");
    testRecord.secret("link", link!);
    assertEquals(origin, url);
    const browser = createTestBrowser(url, send, await createAuthenticator(url));
    const enrolled = await browser.enrol(link!);
    assertEquals([enrolled.status, enrolled.json.name], [200, "operator"]);
    const page = await fetch(`${url}/en`, { headers: { cookie: browser.cookie() } });
    assertEquals([page.status, (await page.text()).includes("<html")], [200, true]);
    assertEquals((await browser.act("price.pause")).json.state, "done");
    assertEquals((await browser.act("price.resume")).json.state, "done");
  });

  // The server's own TLS cannot: its room may not import the office.
  it("answers nothing of itself on the partners' edge, whichever host is asked", async () => {
    const { caPem, certificatePem, privateKeyPem } = await openKit(test.stack.kits[0]!);
    const port = Number(new URL(test.stack.baseUrl).port);
    const caller = { port, caPem, certificatePem, keyPem: privateKeyPem };
    for (const host of ["localhost", new URL(url).host]) {
      for (const target of ["/en", "/ar/partners", "/enrol", "/admin/v1/me", "/admin/v1/acts"]) {
        for (const method of ["GET", "POST"]) {
          const headers: [string, string][] = [["Host", host], ["Content-Length", "0"]];
          const { status, body } = await sendRaw(caller, { method, target, headers });
          assertEquals([target, status, JSON.parse(body).code], [target, 404, "not_found"]);
        }
      }
    }
  });

  it("is started again when it was killed", async () => {
    const { pid } = test.stack.office!.running()!;
    process.kill(pid, "SIGKILL");
    await until(() => (test.stack.office!.running()?.pid ?? pid) !== pid);
    assertEquals((await send("GET", "/admin/v1/me")).json.code, "sign_in_required");
  });
});
