import { after, test } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { listenReference } from "./reference_listener.ts";

const settings = { environment: "sandbox", baseUrl: "https://127.0.0.1:8443" } as const;
const listener = await listenReference(settings);
after(listener.close);

test("a browser reads the reference without a certificate, and nothing else", async () => {
  const page = await fetch(listener.url);
  assertEquals([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  const html = await page.text();
  assert(html.includes("POST /v1/orders"));
  assert(!html.includes('class="try"'), "without a kit nothing can be tried");
  const document = await fetch(new URL("/openapi.json", listener.url));
  assertEquals((await document.json() as { openapi: string }).openapi, "3.1.0");
  const cases = [
    ["GET", "/health"],
    ["GET", "/v1/prices"],
    ["POST", "/docs"],
    ["POST", "/try"],
  ];
  for (const [method, path] of cases) {
    const answer = await fetch(new URL(path!, listener.url), { method: method! });
    assertEquals([answer.status, await answer.text()], [404, ""]);
  }
});

test("HEAD is answered as GET without a body, and / leads to the page", async () => {
  const head = await fetch(listener.url, { method: "HEAD" });
  const length = (await (await fetch(listener.url)).arrayBuffer()).byteLength;
  assertEquals([head.status, head.headers.get("content-length")], [200, String(length)]);
  const root = await fetch(new URL("/", listener.url), { redirect: "manual" });
  assertEquals([root.status, root.headers.get("location")], [302, "/docs"]);
  await root.body?.cancel();
});

test("a wanted port that is taken is replaced by a free one", async () => {
  const port = Number(new URL(listener.url).port);
  const other = await listenReference(settings, { port });
  assertNotEquals(new URL(other.url).port, String(port));
  await other.close();
  const again = await listenReference(settings, { port: Number(new URL(other.url).port) });
  assertEquals(again.url, other.url);
  await again.close();
});
