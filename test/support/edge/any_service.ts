import { assert, assertEquals, assertMatch } from "@std/assert";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { until } from "../until.ts";
import { type Edge, EDGE_SECRET, startEdge } from "./edge.ts";
import { rawCall, requestText } from "./raw_call.ts";
import type { Arrived } from "./upstream.ts";

/** A service in another language, and the requests that reached it. */
export interface AnyService {
  address: string;
  arrived: Arrived[];
  close(): Promise<void>;
}

/** Starts a program that prints its port, then a line of JSON for each request. */
export async function startAnyService(command: string, args: string[]): Promise<AnyService> {
  const child: ChildProcess = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const arrived: Arrived[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (/^\d+$/.test(line)) resolve(line);
      else arrived.push(JSON.parse(line));
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    arrived,
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts an edge in front of any service, as somebody sets it up who has a few paths. */
export function edgeBefore(service: AnyService): Promise<Edge> {
  return startEdge({
    profile: "plain",
    instances: [{ address: service.address }],
    paths: ["/", "/api/*", "/.well-known/about"],
    methods: ["GET", "POST"],
    limits: { bodyBytes: 200_000 },
  });
}

const FORGED = "f".repeat(64);
/** What a caller may try, to pass for somebody else or for the sidecar. */
const FORGERIES: Record<string, readonly string[]> = {
  "the sidecar's headers": [
    `X-Client-Certificate-SHA256: ${FORGED}`,
    "X-Client-Address: 6.6.6.6",
    `X-Edge-Secret: ${FORGED}`,
  ],
  "two lines each": [
    `x-client-certificate-sha256: ${FORGED}`,
    `X-CLIENT-CERTIFICATE-SHA256: ${FORGED}`,
    "x-client-address: 6.6.6.6",
    "X-Client-Address: 6.6.6.6",
  ],
  "named in Connection": [
    "Connection: close, x-client-certificate-sha256",
    `X-Client-Certificate-SHA256: ${FORGED}`,
  ],
  "other proxies' headers": [
    `X-Forwarded-Client-Cert: Hash=${FORGED}`,
    "X-Forwarded-For: 6.6.6.6",
    "X-Real-IP: 6.6.6.6",
    "Forwarded: for=6.6.6.6",
    `Client-Cert: :${FORGED}:`,
    `X-Sabika-Edge: ${FORGED}`,
  ],
};

/** Tests what the profile `plain` promises, on a service in this language (Decision D110). */
export function testAnyService(language: string, { edge, service }: {
  edge: Edge;
  service: AnyService;
}): void {
  const { arrived } = service;
  const values = (request: Arrived, name: string) =>
    request.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  const call = async (method: string, target: string, headers: string[] = [], body = "") => {
    const before = arrived.length;
    const answer = await rawCall(edge, requestText(method, target, headers, body));
    if (answer.status === 200) await until(() => arrived.length > before);
    return { ...answer, arrived: arrived.slice(before) };
  };

  for (const [name, headers] of Object.entries(FORGERIES)) {
    test(`${language}: forged ${name} do not reach the service (F60)`, async () => {
      const answer = await call("GET", "/api/who", [...headers]);
      assertEquals(answer.status, 200, answer.text);
      const request = answer.arrived[0]!;
      assertEquals(values(request, "x-client-certificate-sha256"), [edge.partner.hashHex]);
      assertEquals(values(request, "x-client-address"), ["127.0.0.1"]);
      assertEquals(values(request, "x-edge-secret"), [EDGE_SECRET]);
      for (const forged of [FORGED, "6.6.6.6"]) {
        assertEquals(JSON.stringify(request).includes(forged), false);
      }
      assertEquals(values(request, "x-forwarded-client-cert"), []);
    });
  }

  test(`${language}: header names with underscores are refused (F60)`, async () => {
    const answer = await call("GET", "/api/who", [`X_Client_Certificate_SHA256: ${FORGED}`]);
    assertEquals([answer.status, answer.arrived], [400, []]);
  });

  test(`${language}: only the listed paths and methods are handed on, byte for byte`, async () => {
    const passed = [
      "/",
      "/api/a.b/c",
      "/api/items/",
      "/api/a%20b:c@d?q=%2F..",
      "/.well-known/about",
    ];
    for (const target of passed) {
      const answer = await call("POST", target, [], "{}");
      assertEquals([answer.status, answer.arrived[0]?.target], [200, target], target);
    }
    const unlisted = ["/other", "/v1/orders", "/api", "/api/", "/.well-known/", "/health"];
    const unclear = String
      .raw`/api/../admin /api/./a /api//a /api/a;b /api/%2e%2e/a /api/%61 /api/a%2Fb /api/a\b /api/%00 /api/%25 /api/..`;
    for (const target of [...unlisted, ...unclear.split(" ")]) {
      const answer = await call("GET", target);
      assert(answer.status === 404 || answer.status === 400, `${target}: ${answer.text}`);
      assertEquals(answer.arrived, [], target);
    }
    for (const method of ["DELETE", "PUT", "OPTIONS"]) {
      const answer = await call(method, "/api/a");
      assertEquals([answer.status, answer.headers.get("allow")], [405, "GET, POST"]);
      const { type, code, request_id } = JSON.parse(answer.body);
      assertEquals([type, code], ["about:blank", "method_not_allowed"]);
      assertEquals([request_id, answer.arrived], [answer.headers.get("x-request-id"), []]);
    }
  });

  test(`${language}: a body passes up to its limit, and no byte more (F65)`, async () => {
    const whole = await call("POST", "/api/a", [], "x".repeat(200_000));
    assertEquals([whole.status, whole.arrived[0]?.body], [200, "200000 bytes"]);
    const more = await call("POST", "/api/a", [], "x".repeat(200_001));
    assertEquals([more.status, more.arrived], [413, []]);
  });

  test(`${language}: the answer, the service and the sidecar's log have one request_id`, async () => {
    const served = await call("GET", "/api/a", ["X-Request-Id: mine"]);
    const id = served.headers.get("x-request-id")!;
    assertMatch(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assertEquals(values(served.arrived[0]!, "x-request-id"), [id]);
    const refused = (await call("GET", "/other")).headers.get("x-request-id")!;
    const unread = (await rawCall(edge, "GET /api/a HTTP/1.1\r\nA\r\n\r\n")).headers.get(
      "x-request-id",
    )!;
    const log = () => readFile(join(edge.folder, "access.log"), "utf8");
    for (const logged of [id, refused, unread]) {
      assertMatch(logged, /^[0-9a-f-]{36}$/);
      await until(async () => (await log()).includes(`"request_id":"${logged}"`));
    }
  });
}
