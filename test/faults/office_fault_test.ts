import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { after, before, describe, it, test as testAlone } from "node:test";
import { openKit } from "@sabika/client";
import { createConsole } from "@sabika/console";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { createOffice, createOfficeApp } from "@sabika/office";
import { silentLog } from "@sabika/server";
import { testRecord } from "../secret_search/record.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { openRaw, type RawCaller } from "../support/raw_https.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { createTestBrowser, type SendToOffice } from "../support/test_browser.ts";
import { startTestService } from "../support/test_service.ts";
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
    const caller = { port, caPem, certificatePem, keyPem: privateKeyPem };
    await assertNothing(caller, routesOf(test.admin, url), new URL(url).host);
  });

  it("is started again when it was killed", async () => {
    const { pid } = test.stack.office!.running()!;
    process.kill(pid, "SIGKILL");
    await until(() => (test.stack.office!.running()?.pid ?? pid) !== pid);
    assertEquals((await send("GET", "/admin/v1/me")).json.code, "sign_in_required");
  });
});

testAlone(
  "a server's own TLS answers nothing of the office, at no path of API or console",
  async () => {
    const service = await startTestService();
    try {
      const [bank] = service.partners;
      const routes = routesOf(service.admin, "https://office.sabika.example");
      await assertNothing(service.caller(bank), routes, "office.sabika.example");
    } finally {
      await service.close();
    }
  },
);

/** Every method and path of the office and its console, out of the tables that they are served by. */
function routesOf(admin: PartnerAdminContext, origin: string): [method: string, path: string][] {
  const prices = createFixedPrice({ midTenThousandths: 4_823_500n });
  const pages = createConsole({ prices, onError: () => {} });
  const { routes } = createOfficeApp(createOffice(admin, origin), { log: silentLog, pages });
  const known = new Set(
    routes.filter(({ path, method }) => path !== "/*" && method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, "one").replace("*", "x")}`),
  );
  assert(known.size > 60, `${known.size} paths`);
  return [...known].map((one) => one.split(" ") as [string, string]);
}

/** Each of them is answered as a path that there never was, whichever host it is asked of. */
async function assertNothing(
  caller: RawCaller,
  routes: readonly (readonly [method: string, path: string])[],
  officeHost: string,
): Promise<void> {
  const ask = async (host: string, method: string, target: string) => {
    const connection = await openRaw(caller);
    const headers: [string, string][] = [["Host", host], ["Content-Length", "0"]];
    const { status, body } = await connection.send({ method, target, headers });
    connection.close();
    const { instance: _, request_id: _id, ...said } = JSON.parse(body);
    return { status, ...said };
  };
  for (const host of ["localhost", officeHost]) {
    for (const method of new Set(routes.map(([method]) => method))) {
      const nothing = await ask(host, method, "/there/is/no/such/path");
      assertEquals([nothing.status, nothing.code], [404, "not_found"]);
      for (const [, path] of routes.filter((one) => one[0] === method)) {
        assertEquals({ path, ...await ask(host, method, path) }, { path, ...nothing });
      }
    }
  }
}
