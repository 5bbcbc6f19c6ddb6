/** Webhooks as Hono middleware, without a dependency on Hono. */
import { receiverOf, type WebhookReceiverOptions } from "./webhook_receiver.ts";
import type { ReceivedEvent } from "@sabika/protocol";

/** What the middleware uses of Hono's context. */
export interface WebhookContext {
  /** The request. */
  req: {
    /** Its headers are read. */
    raw: {
      /** Looks up a header. */
      headers: {
        /** The value of a header, or null. */
        get(name: string): string | null;
      };
    };
    /** The raw body, which Hono keeps for those who read it again. */
    arrayBuffer(): Promise<ArrayBuffer>;
  };
  /** The answer so far. */
  res: {
    /** Its status. */
    status: number;
  };
  /** Hands the event to the handlers behind. */
  set(key: "event", event: ReceivedEvent): void;
}

/** What the handlers behind the middleware find in the context, for `new Hono<{ Variables: … }>()`. */
export interface WebhookVariables {
  /** The verified event. */
  event: ReceivedEvent;
}

/**
 * Lets only genuine events through to the handlers behind it, each once: the signature is verified
 * over the raw body, and what was handled before is answered here (Decision D35). An event counts as
 * handled when the handlers answered with 2xx; after anything else it is delivered again.
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
