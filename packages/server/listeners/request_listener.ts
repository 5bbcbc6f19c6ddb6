import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Unreadable, unreadableReply } from "./unreadable.ts";

/** An application that answers requests, such as a Hono application. */
export interface Application {
  readonly fetch: Parameters<typeof getRequestListener>[0];
}

/** A request listener of Node's HTTP server. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Makes a request listener for Node's HTTP server. Targets that cannot be parsed as a URL are refused here,
 * in the form of all refusals.
 */
export function requestListener(app: Application, unreadable: Unreadable): RequestListener {
  return getRequestListener(app.fetch, {
    // The Host header affects neither the route nor the signed URL.
    hostname: "sabika",
    errorHandler: () => {
      const { status, headers, body } = unreadableReply(unreadable, "malformed_request");
      return new Response(body, { status, headers });
    },
  });
}
