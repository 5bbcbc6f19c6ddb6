import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type DocumentSettings, openApiDocument, referencePage } from "@sabika/reference";

/** The reference, for browsers that have no client certificate. */
export interface ReferenceListener {
  /** `http://127.0.0.1:<port>/docs` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/docs` and `/openapi.json` in plain HTTP on a free port of this machine: both are the same
 * for everybody, and a browser has no certificate to show at the service itself.
 */
export async function listenReference(settings: DocumentSettings): Promise<ReferenceListener> {
  const { html, policy } = await referencePage(settings);
  const answers: Readonly<
    Record<string, readonly [headers: Record<string, string>, body: string]>
  > = {
    "/docs": [{
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
    }, html],
    "/openapi.json": [
      { "content-type": "application/json" },
      JSON.stringify(openApiDocument(settings)),
    ],
  };
  const server = createServer(({ method, url = "" }, response) => {
    const answer = method === "GET" ? answers[url.split("?")[0]!] : undefined;
    if (answer === undefined) return void response.writeHead(404).end();
    const [headers, body] = answer;
    response.writeHead(200, { ...headers, "x-content-type-options": "nosniff" }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/docs`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
