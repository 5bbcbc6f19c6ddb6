import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { listenReference } from "./reference_listener.ts";

const listener = await listenReference({
  environment: "sandbox",
  baseUrl: "https://127.0.0.1:8443",
});
after(listener.close);

test("a browser reads the reference without a certificate, and nothing else", async () => {
  const page = await fetch(listener.url);
  assertEquals([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert((await page.text()).includes("POST /v1/orders"));
  const document = await fetch(new URL("/openapi.json", listener.url));
  assertEquals((await document.json() as { openapi: string }).openapi, "3.1.0");
  for (const [method, path] of [["GET", "/health"], ["GET", "/v1/prices"], ["POST", "/docs"]]) {
    const answer = await fetch(new URL(path!, listener.url), { method: method! });
    assertEquals([answer.status, await answer.text()], [404, ""]);
  }
});
