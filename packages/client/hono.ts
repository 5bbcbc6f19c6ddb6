/** Webhooks as Hono middleware, without a dependency on Hono. */
import { receiverOf, type WebhookReceiverOptions } from "./webhook_receiver.ts";
import type { ReceivedEvent } from "@sabika/protocol";

/** The members of Hono's context that the middleware uses. */
export interface WebhookContext {
  /** The request. */
  req: {
    /** The underlying request, for its headers. */
    raw: {
      /** Looks up a header. */
      headers: {
        /** Returns the value of a header, or null. */
        get(name: string): string | null;
      };
    };
    /** Reads the raw body, which Hono keeps for later reads. */
    arrayBuffer(): Promise<ArrayBuffer>;
  };
  /** The response of the handlers. */
  res: {
    /** Its status. */
    status: number;
  };
  /** Sets the event for the following handlers. */
  set(key: "event", event: ReceivedEvent): void;
}

/** The variables that the middleware sets in the context, for `new Hono<{ Variables: … }>()`. */
export interface WebhookVariables {
  /** The verified event. */
  event: ReceivedEvent;
}

/**
 * Makes middleware that passes only genuine events to the following handlers, each once. It verifies the
 * signature over the raw body, and answers events that were handled before (Decision D35). An event counts
 * as handled if the handlers answer with 2xx; otherwise it is delivered again.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import { verifyWebhooks, type WebhookVariables } from "@sabika/client/hono";
 *
 * const app = new Hono<{ Variables: WebhookVariables }>();
 * const secrets = ["whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0"]; // two during a rotation
 * app.post("/webhooks", verifyWebhooks({ secrets }), (c) => {
 *   console.log(c.get("event").type);
 *   return c.body(null, 204);
 * });
 * console.log((await app.request("/webhooks", { method: "POST" })).status); // 401: not signed
 * ```
 */
export function verifyWebhooks(
  options: Omit<WebhookReceiverOptions, "handle">,
): (context: WebhookContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const receive = receiverOf(options);
  return async (context, next) => {
    const body = new Uint8Array(await context.req.arrayBuffer());
    let answered = false;
    const { status } = await receive({ headers: context.req.raw.headers, body }, async (event) => {
      context.set("event", event);
      await next();
      answered = true;
      if (context.res.status > 299) throw new Error("not handled");
    });
    return answered ? undefined : new Response(null, { status });
  };
}
