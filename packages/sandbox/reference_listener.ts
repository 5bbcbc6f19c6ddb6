import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tryPort } from "@sabika/deployment/folders";
import {
  canBeTried,
  type DocumentSettings,
  openApiDocument,
  OPERATIONS,
  referencePage,
} from "@sabika/reference";
import type { Trial, TriedCall } from "./try_call.ts";

/** The reference, for browsers that have no client certificate. */
export interface ReferenceListener {
  /** `http://127.0.0.1:<port>/docs` */
  readonly url: string;
  close(): Promise<void>;
}

type Answer = readonly [status: number, headers: Record<string, string>, body?: string];

/** The largest call to try. */
const TRY_LIMIT_BYTES = 65_536;
const NOT_FOUND: Answer = [404, {}];

/**
 * Serves `/docs` and `/openapi.json` in plain HTTP on this machine: both are the same for everybody, and a browser
 * has no certificate to show at the service itself.
 *
 * @param options.port where to listen; another free one if it is taken, any for 0
 * @param options.trial sends the calls of the page's forms (Decision D118); undefined: the page has none
 */
export async function listenReference(
  settings: DocumentSettings,
  { port: wanted = 0, trial }: { port?: number; trial?: Trial | undefined } = {},
): Promise<ReferenceListener> {
  const { html, policy } = await referencePage(settings, trial !== undefined);
  const pages: Readonly<Record<string, Answer>> = {
    "/": [302, { location: "/docs" }],
    "/docs": [200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
    }, html],
    "/openapi.json": [
      200,
      { "content-type": "application/json" },
      JSON.stringify(openApiDocument(settings)),
    ],
  };
  const port = await tryPort(wanted) ?? await tryPort(0);
  const origin = `http://127.0.0.1:${port}`;
  const answerOf = async (request: IncomingMessage): Promise<Answer> => {
    const path = request.url?.split("?")[0] ?? "";
    if (request.method === "GET" || request.method === "HEAD") return pages[path] ?? NOT_FOUND;
    if (request.method !== "POST" || path !== "/try" || trial === undefined) return NOT_FOUND;
    return await tryCall(request, origin, trial);
  };
  const server = createServer((request, response) => {
    void answerOf(request).catch((error: Error): Answer => [502, {}, error.message])
      .then((answer) => write(response, answer, request.method === "HEAD"));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `${origin}/docs`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function write(response: ServerResponse, [status, headers, body]: Answer, isHead: boolean): void {
  response.writeHead(status, {
    "content-length": String(Buffer.byteLength(body ?? "")),
    ...headers,
    "x-content-type-options": "nosniff",
  }).end(isHead ? undefined : body);
}

/** Sends a call of the page. Another site's page, whose origin the browser tells, is refused. */
async function tryCall(request: IncomingMessage, origin: string, trial: Trial): Promise<Answer> {
  if (request.headers.origin !== origin) return [403, {}, "only for the page itself"];
  const call = readCall(await readText(request));
  if (call === undefined) return [400, {}, "no call that can be tried"];
  return [200, { "content-type": "application/json" }, JSON.stringify(await trial.run(call))];
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > TRY_LIMIT_BYTES) return "";
  }
  return text;
}

function readCall(text: string): TriedCall | undefined {
  try {
    const { operation, parameters, body = "" } = JSON.parse(text) as TriedCall;
    const isKnown = Object.hasOwn(OPERATIONS, operation) && canBeTried(OPERATIONS[operation]);
    const texts = [body, ...Object.values(parameters)];
    if (!isKnown || !texts.every((value) => typeof value === "string")) return undefined;
    return { operation, parameters, body };
  } catch {
    return undefined;
  }
}
