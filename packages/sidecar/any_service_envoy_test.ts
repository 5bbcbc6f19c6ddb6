import { assertMatch } from "@std/assert";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { until } from "../../test/support/until.ts";
import {
  edgeBefore,
  startAnyService,
  testAnyService,
} from "../../test/support/edge/any_service.ts";

// A Python service, of its standard library alone, behind a real Envoy.

const script = new URL("../../test/support/edge/echo.py", import.meta.url);
const service = await startAnyService("python3", [fileURLToPath(script)]);
const edge = await edgeBefore(service);
after(async () => {
  await edge.close();
  await service.close();
});
testAnyService("Python", { edge, service });

test("a request whose caller left before the answer has its request_id in the log", async (t) => {
  const edge = await startEdge({ profile: "plain" });
  t.after(() => edge.close());
  let id: string | undefined;
  edge.upstream.answer = ({ headers }) => {
    id = new Map(headers).get("x-request-id");
    return Promise.resolve("hang");
  };
  await rawCall(edge, requestText("GET", "/slow"), { timeoutMs: 300 });
  await until(async () => {
    const log = await readFile(join(edge.folder, "access.log"), "utf8").catch(() => "");
    return id !== undefined && log.includes(`"request_id":"${id}"`);
  });
  assertMatch(id!, /^[0-9a-f-]{36}$/);
});
