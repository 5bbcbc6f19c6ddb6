import {
  BALANCES,
  DELIVERY_ATTEMPT,
  ENABLE_REQUEST,
  type ErrorCode,
  EVENT_DELIVERY_STATUSES,
  type IdPrefix,
  LEDGER_ENTRY,
  ORDER,
  ORDER_EVIDENCE,
  ORDER_STATUSES,
  QUOTE,
  QUOTE_STATUSES,
  REDELIVERY,
  REDELIVERY_MAX_EVENTS,
  REDELIVERY_REQUEST,
  type Shape,
  STATEMENT,
  WEBHOOK_ENABLED,
  WITHDRAWAL,
  WITHDRAWAL_EVIDENCE,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import { body, json, ok, written } from "../contents.ts";
import { EVENT_EXAMPLE, EVENT_SHAPE } from "../events.ts";
import { EXAMPLES } from "../examples.ts";
import { objectShape } from "../object_shape.ts";
import { type Chapter, operation, type Parameter } from "../operation.ts";
import {
  AFTER_SEQUENCE,
  AFTER_STREAMED,
  DAY_PARAMETER,
  idParameter,
  LAST_EVENT_ID,
  listParameters,
  PAGE_PARAMETERS,
} from "../parameters.ts";

/** Makes GET /v1/<resources>, which answers one page (Decision D19). */
export function list(
  path: string,
  things: string,
  item: Shape,
  example: unknown,
  { statuses, chapter = "Reading", more = [] }: {
    statuses?: readonly string[];
    chapter?: Chapter;
    more?: readonly Parameter[];
  } = {},
) {
  const newestFirst = more.includes(AFTER_SEQUENCE)
    ? "Newest first; with `after_sequence` oldest first."
    : "Newest first.";
  return operation("GET", path, "read", {
    chapter,
    summary: `List ${things}`,
    description: `Your ${things}, newest first, page by page.`,
    parameters: [...listParameters(statuses), ...more],
    replies: [pageOf(item, example, newestFirst)],
    refusals: ["invalid_request"],
  });
}

function pageOf(item: Shape, example: unknown, order = "Newest first.") {
  const page = objectShape(`${item.title}Page`, {
    data: { type: "array", items: item, description: order },
    has_more: { type: "boolean", description: "Whether there is another page." },
    next_cursor: {
      type: ["string", "null"],
      description: "`cursor` of the next page; null on the last one.",
    },
  });
  return ok("A page.", page, { data: [example], has_more: false, next_cursor: null });
}

/** Makes GET /v1/<resources>/{id}, which answers the current state of one resource. */
export function single(
  path: string,
  thing: string,
  prefix: IdPrefix,
  shape: Shape,
  example: unknown,
  { refusal = "not_found", chapter = "Reading" }: { refusal?: ErrorCode; chapter?: Chapter } = {},
) {
  return operation("GET", path, "read", {
    chapter,
    summary: `Get ${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}`,
    description: `The ${thing} as it stands now.`,
    parameters: [idParameter(prefix, thing)],
    replies: [ok(`The ${thing}.`, shape, example)],
    refusals: [...new Set(["not_found" as const, refusal])],
  });
}

/** Makes GET /v1/<resources>/{id}/evidence. */
function evidence(path: string, thing: string, prefix: "ord" | "wd", shape: Shape) {
  const { id } = EXAMPLES[thing as "order" | "withdrawal"];
  return operation("GET", path, "read", {
    chapter: "Reading",
    summary: `Get the evidence of ${thing === "order" ? "an order" : "a withdrawal"}`,
    description:
      "The signed requests as they came, in the parts that their signatures are verified " +
      "from: the proof that you, and nobody else, asked for it.",
    parameters: [idParameter(prefix, thing)],
    replies: [ok("The evidence.", shape, { id, requests: [EXAMPLES.signedEvidence] })],
    refusals: ["not_found"],
  });
}

const events = { chapter: "Events" } as const;

const { delivery: _delivery, ...STREAMED } = EVENT_EXAMPLE as Record<string, unknown>;

/** The operations that read the account, resources and events. */
export const READING = {
  getBalances: operation("GET", "/v1/balances", "read", {
    chapter: "Reading",
    summary: "Balances",
    description: "What you can spend and sell now.",
    replies: [ok("The balances.", BALANCES.shape, EXAMPLES.balances)],
  }),
  listQuotes: list("/v1/quotes", "quotes", QUOTE.shape, EXAMPLES.quote, {
    statuses: QUOTE_STATUSES,
  }),
  getQuote: single("/v1/quotes/{id}", "quote", "qt", QUOTE.shape, EXAMPLES.quote, {
    refusal: "quote_not_found",
  }),
  listOrders: list("/v1/orders", "orders", ORDER.shape, EXAMPLES.order, {
    statuses: ORDER_STATUSES,
  }),
  getOrder: single("/v1/orders/{id}", "order", "ord", ORDER.shape, EXAMPLES.order),
  getOrderEvidence: evidence("/v1/orders/{id}/evidence", "order", "ord", ORDER_EVIDENCE.shape),
  listWithdrawals: list(
    "/v1/withdrawals",
    "withdrawals",
    WITHDRAWAL.shape,
    EXAMPLES.withdrawal,
    { statuses: WITHDRAWAL_STATUSES },
  ),
  getWithdrawal: single(
    "/v1/withdrawals/{id}",
    "withdrawal",
    "wd",
    WITHDRAWAL.shape,
    EXAMPLES.withdrawal,
  ),
  getWithdrawalEvidence: evidence(
    "/v1/withdrawals/{id}/evidence",
    "withdrawal",
    "wd",
    WITHDRAWAL_EVIDENCE.shape,
  ),
  listLedgerEntries: list(
    "/v1/ledger-entries",
    "ledger entries",
    LEDGER_ENTRY.shape,
    EXAMPLES.ledgerEntry,
  ),
  getStatement: operation("GET", "/v1/statements/{id}", "read", {
    chapter: "Reading",
    summary: "Get the statement of a day",
    description:
      "Opening and closing balances and all ledger entries of a day in Riyadh. CSV comes " +
      "for `Accept: text/csv`.",
    parameters: [DAY_PARAMETER],
    replies: [{
      status: 200,
      description: "The statement.",
      contents: [json(STATEMENT.shape, EXAMPLES.statement), {
        mediaType: "text/csv",
        shape: { type: "string" },
        example: "number,posted_at,asset,debit_account,credit_account,amount,unit,source_type," +
          "source_id\r\n2,2026-11-20T09:00:10.254Z,XAU,allocation,gold,2.5,gram,order," +
          "ord_019e9c5e-51b4-7c01-9f0e-6f1b1a5c7d20\r\n",
      }],
    }],
    refusals: ["not_found"],
  }),
  listEvents: list("/v1/events", "events", EVENT_SHAPE, EVENT_EXAMPLE, {
    ...events,
    statuses: EVENT_DELIVERY_STATUSES,
    more: [AFTER_SEQUENCE],
  }),
  streamEvents: operation("GET", "/v1/events/stream", "read", {
    ...events,
    summary: "Receive events as they come",
    description: "Server-sent events, for partners that cannot be reached from outside: `id` is " +
      "the event's `sequence`, `data` the body of its webhook, in their order without gaps. A " +
      "comment comes every 15 seconds. The stream ends with an event of the type `end`, whose " +
      "`data` is a `code`, when your token or certificate is not valid any more, or the instance " +
      "stops; go on with `Last-Event-ID`. A partner has at most 10 streams at an instance.",
    parameters: [AFTER_STREAMED, LAST_EVENT_ID],
    replies: [{
      status: 200,
      description: "The stream.",
      contents: [{
        mediaType: "text/event-stream",
        // The schema is that of each event, for which OpenAPI 3.1 defines no form.
        shape: {
          type: "object",
          properties: {
            id: { type: "string" },
            event: { type: "string" },
            data: { type: "string" },
          },
          required: ["data"],
        },
        example: `:\n\nid: 2\ndata: ${JSON.stringify(STREAMED)}\n\n`,
      }],
    }],
    refusals: ["invalid_request"],
  }),
  getEvent: single("/v1/events/{id}", "event", "evt", EVENT_SHAPE, EVENT_EXAMPLE, events),
  listDeliveryAttempts: operation("GET", "/v1/events/{id}/attempts", "read", {
    ...events,
    summary: "List the attempts to deliver an event",
    description: "How its delivery was tried, newest first, page by page: the proof of what your " +
      "endpoint answered, and when. Attempts are kept for some months.",
    parameters: [idParameter("evt", "event"), ...PAGE_PARAMETERS],
    replies: [pageOf(DELIVERY_ATTEMPT.shape, EXAMPLES.deliveryAttempt)],
    refusals: ["not_found", "invalid_request"],
  }),
  enableWebhook: operation("POST", "/v1/webhook/enable", "signedAct", {
    ...events,
    summary: "Enable your webhook endpoint again",
    description:
      "After it answered 410, or to have pending events tried at once. A `ping` is written too, so " +
      "that its attempts show whether your endpoint works. `not_found` where you have no endpoint, " +
      "or the operator has disabled it (`webhook.disabled_by` of `/v1/me`). The body is `{}`.",
    request: body(ENABLE_REQUEST, {}),
    replies: written("The endpoint is enabled.", WEBHOOK_ENABLED.shape, EXAMPLES.webhookEnabled),
    refusals: ["not_found"],
  }),
  redeliverEvent: operation("POST", "/v1/events/{id}/redeliver", "act", {
    ...events,
    summary: "Have an event sent again",
    description:
      "It is sent to your endpoint once more, even if it was delivered. Not signed: it " +
      "moves nothing, and the event goes only to the registered endpoint.",
    parameters: [idParameter("evt", "event")],
    replies: written(
      "It is sent again soon.",
      objectShape("Redelivery", {
        id: EVENT_SHAPE.properties!.id!,
        status: { const: "pending", description: "It waits for its delivery." },
      }),
      { id: "evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80", status: "pending" },
      202,
    ),
    refusals: ["not_found"],
  }),
  redeliverEvents: operation("POST", "/v1/events/redeliver", "actOnBody", {
    ...events,
    summary: "Have a range of events sent again",
    description: `At most ${REDELIVERY_MAX_EVENTS}, by their numbers. What webhooks missed is ` +
      "read faster from the list of events, with `after_sequence`.",
    request: body(REDELIVERY_REQUEST, { from_sequence: 101, to_sequence: 200 }),
    replies: written(
      "They are sent again soon.",
      REDELIVERY.shape,
      { from_sequence: 101, to_sequence: 200, count: 100, status: "pending" },
      202,
    ),
    refusals: ["invalid_request"],
  }),
};
