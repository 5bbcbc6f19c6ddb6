import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Unreadable, unreadableReply } from "./unreadable.ts";

/** What answers requests; a Hono application is one. */
export interface Application {
  readonly fetch: Parameters<typeof getRequestListener>[0];
}

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * An application as Node's HTTP server takes it. Targets that cannot even be made a URL are
 * answered here, in the form of all refusals.
 */
export function requestListener(app: Application, unreadable: Unreadable): RequestListener {
  return getRequestListener(app.fetch, {
    // The Host header decides nothing here: neither the route nor the signed URL.
    hostname: "sabika",
    errorHandler: () => {
      const { status, headers, body } = unreadableReply(unreadable, "malformed_request");
      return new Response(body, { status, headers });
    },
  });
}
