import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ERROR_CODES, EVENT_TYPES } from "@sabika/protocol";
import { openApiDocument } from "../document/open_api.ts";
import { OPERATION_LIST } from "../operations.ts";
import { referencePage } from "./reference_page.ts";

const settings = { environment: "sandbox", baseUrl: "https://sabika.test" } as const;
const { html, policy } = await referencePage(settings);

test("every endpoint, schema, error code and webhook has its place on the page", () => {
  const { components } = openApiDocument(settings) as { components: { schemas: object } };
  const places = [
    ...OPERATION_LIST.map(([id]) => id),
    ...Object.keys(components.schemas).map((name) => `schema-${name}`),
    ...ERROR_CODES.map((code) => `error-${code}`),
    ...EVENT_TYPES.map((type) => `event-${type}`),
  ];
  assertEquals(places.filter((id) => !html.includes(` id="${id}"`)), []);
});

test("every link leads to a place on the page or to the document beside it", () => {
  const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link!);
  assert(links.length > 200);
  const dead = links.filter((link) =>
    link.startsWith("#")
      ? !html.includes(` id="${link.slice(1)}"`)
      : !["openapi.json", "data:,"].includes(link)
  );
  assertEquals(dead, []);
});

test("events lead to what makes them happen, and those calls to their events", () => {
  const links = (section: string) =>
    new RegExp(`<h3 id="${section}">.*?<h3`, "s").exec(html)![0].match(/href="#[\w.-]+"/g)!;
  assert(links("createOrder").includes('href="#event-order.executed"'));
  assertEquals(
    ["#schema-Order", "#createOrder"].filter((link) =>
      !links("event-order.executed").includes(`href="${link}"`)
    ),
    [],
  );
});

test("no id appears twice", () => {
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
  assertEquals(ids.filter((id, n) => ids.indexOf(id) !== n), []);
});

test("the page's own style and script are all that may be loaded or run", () => {
  assertMatch(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'sha256-[^']+';/,
  );
  assertEquals([...html.matchAll(/<(script type="module"|style)>/g)].length, 3);
  assert(!/ (src|srcset|style|on\w+)=/.test(html));
});

test("production's page has nothing of the sandbox, and never sends a call", async () => {
  const page = await referencePage(
    { environment: "production", baseUrl: settings.baseUrl },
    true,
  );
  assert(!page.html.includes('id="fund"') && !page.html.includes('href="#fund"'));
  assert(!page.html.includes('<form class="try"') && !page.html.includes("/try"));
  assert(!page.policy.includes("connect-src"));
});

test("beside a sandbox each endpoint has a form, but for those of secrets, streams and pages", async () => {
  const tried = await referencePage(settings, true);
  const forms = [...tried.html.matchAll(/<form class="try" data-operation="(\w+)"/g)].map((
    [, id],
  ) => id!);
  const without = OPERATION_LIST.map(([id]) => id).filter((id) => !forms.includes(id));
  assertEquals(without, ["createToken", "revokeToken", "getReference", "streamEvents"]);
  assertMatch(tried.policy, /; connect-src 'self';/);
});
