import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { refuse } from "@sabika/protocol";
import type { App } from "../app.ts";
import { refused } from "../refused.ts";
import type { Unreadable } from "./http_server.ts";

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * The application as Node's HTTP server wants it. Targets that cannot even be made a URL are
 * answered here, in the form of all refusals.
 */
export function requestListener(app: App, unreadable: Unreadable): RequestListener {
  return getRequestListener(app.fetch, {
    // The Host header decides nothing here: neither the route nor the signed URL.
    hostname: "sabika",
    errorHandler: () => {
      const requestId = unreadable.newRequestId();
      const { status, headers, body } = refused(refuse("malformed_request"), {
        requestId,
        path: "/",
      });
      unreadable.onUnreadable(status, "malformed_request", requestId);
      return new Response(body, {
        status,
        headers: { ...headers, "x-request-id": requestId, "cache-control": "no-store" },
      });
    },
  });
}
