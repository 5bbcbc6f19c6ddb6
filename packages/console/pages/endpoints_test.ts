import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestConsole, type TestConsole } from "../../../test/support/test_console.ts";

let site: TestConsole;
before(async () => {
  site = await openTestConsole();
});
after(() => site.close());

/** The lines of a file, without their end. */
const lines = async (path: string) => (await site.read(path)).trimEnd().split("\r\n");

test("endpoints are found by partner and state, on the page and in the file", async () => {
  const { sql } = site.admin.testDatabase.database;
  await sql`update webhook_lanes set disabled_at = now(), disabled_reason = 'operator'
    where partner_id = (select partner_id from partners where client_id = 'harbour-bank')`;
  const shown = async (query: string) =>
    [...(await site.read(`/en/endpoints${query}`)).matchAll(/\/partners\/([a-z-]+)\/deliveries"/g)]
      .map(([, clientId]) => clientId);
  assertEquals((await shown("")).includes("harbour-bank"), true);
  assertEquals(await shown("?partner=harbour-bank"), ["harbour-bank"]);
  assertEquals(await shown("?status=disabled"), ["harbour-bank"]);
  assertEquals(await shown("?status=healthy&partner=harbour-bank"), []);
  const [head, line] = await lines("/en/endpoints.csv?status=disabled");
  assertEquals(head?.split(",").slice(0, 2), ["client_id", "status"]);
  assertEquals(line?.startsWith("harbour-bank,disabled,"), true, line);
});

test("people, rules, requests and bars are files too", async () => {
  const [, amal] = await lines("/en/people.csv");
  assertEquals(amal?.startsWith("amal,true,"), true, amal);
  const policy = await lines("/ar/policy.csv");
  assertEquals(policy[0], "act,conditions,approvers");
  assertEquals(policy.some((line) => line.startsWith("iban.set,")), true);
  const [, request, ...others] = await lines("/en/approvals.csv");
  assertEquals(request?.includes(",iban.set,"), true, request);
  assertEquals(others, []);
  const [, bar] = await lines("/en/vault.csv");
  assertEquals(bar?.startsWith("S-1001,Emirates Gold,999.9,12441.3807"), true, bar);
});
