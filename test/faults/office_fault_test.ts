import { assert, assertEquals, assertMatch } from "@std/assert";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { openKit } from "@sabika/client";
import { createConsole } from "@sabika/console";
import { createFixedPrice } from "@sabika/core/trading";
import { createOffice, createOfficeApp } from "@sabika/office";
import { silentLog } from "@sabika/server";
import { testRecord } from "../secret_search/record.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { openRaw } from "../support/raw_https.ts";
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

  it("lets the first person in by a link, once, with pages and API on one listener", async () => {
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

    // Whoever has the cookie alone, or the link again, does nothing.
    const thief = createTestBrowser(url, send, await createAuthenticator(url));
    assertEquals((await thief.enrol(link!)).json.code, "link_invalid");
    const stolen = { cookie: browser.cookie() };
    const given = { name: "price.pause", arguments: {} };
    const staged = (await thief.post("/acts/stage", given, stolen)).json;
    const bare = await thief.post("/acts", { act: staged.act }, stolen);
    assertEquals(bare.json.code, "invalid_request");
    const credential = await thief.authenticator.get(staged.options);
    const signed = await thief.post("/acts", { act: staged.act, credential }, stolen);
    assertEquals(signed.json.code, "signature_invalid");
  });

  it("answers nothing of itself on the partners' edge, at no path of API or console", async () => {
    const { caPem, certificatePem, privateKeyPem } = await openKit(test.stack.kits[0]!);
    const port = Number(new URL(test.stack.baseUrl).port);
    const prices = createFixedPrice({ midTenThousandths: 4_823_500n });
    const pages = createConsole({ prices, onError: () => {} });
    const { routes } = createOfficeApp(createOffice(test.admin, url), { log: silentLog, pages });
    const known = new Set(
      routes.filter(({ path, method }) => path !== "/*" && method !== "ALL")
        .map(({ method, path }) =>
          `${method} ${path.replaceAll(/:\w+/g, "one").replace("*", "x")}`
        ),
    );
    assert(known.size > 60, `${known.size} paths`);
    for (const host of ["localhost", new URL(url).host]) {
      for (const one of known) {
        const [method, target] = one.split(" ") as [string, string];
        const caller = { port, caPem, certificatePem, keyPem: privateKeyPem };
        const connection = await openRaw(caller);
        const headers: [string, string][] = [["Host", host], ["Content-Length", "0"]];
        const answer = await connection.send({ method, target, headers });
        connection.close();
        assertEquals([one, answer.status], [one, 404]);
        assertMatch(answer.body, /"code":"not_found"/);
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
