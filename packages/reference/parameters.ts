import {
  IDEMPOTENCY_KEY_MAX_LENGTH,
  type IdPrefix,
  idShape,
  NONCE_MAX_LENGTH,
  NONCE_MIN_LENGTH,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PRICE_INTERVALS,
  TIME_SHAPE,
  TIMESTAMP_WINDOW_SECONDS,
} from "@sabika/protocol";
import type { DoorContract } from "./door_contracts.ts";
import type { Parameter } from "./operation.ts";

const VISIBLE_ASCII = "^[!-~]+$";
const KEY_SHAPE = {
  type: "string",
  minLength: 1,
  maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
  pattern: VISIBLE_ASCII,
};

/** Makes the parameter for the id in a path. */
export function idParameter(prefix: IdPrefix, resource: string): Parameter {
  const description = `The id of the ${resource}. Another partner's is answered as an unknown one.`;
  return { name: "id", in: "path", required: true, description, schema: idShape(prefix) };
}

/** The day in the path of a statement or a reserve. */
export const DAY_PARAMETER: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The day, in Riyadh.",
  schema: { type: "string", format: "date", pattern: String.raw`^\d{4}-\d{2}-\d{2}$` },
};

/** The number in the path of a pool's version. */
export const VERSION_PARAMETER: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The number of the version.",
  schema: { type: "string", pattern: String.raw`^[1-9]\d{0,8}$` },
};

const query = (name: string, description: string, schema: Parameter["schema"]): Parameter => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
});

/** The parameters of the price history. */
export const HISTORY_PARAMETERS: readonly Parameter[] = [
  query("from", "When it begins; 100 spans before its end if left out.", TIME_SHAPE),
  query("to", "When it ends, exclusive; now if left out.", TIME_SHAPE),
  query("interval", "The length of a span; days are Riyadh's.", {
    type: "string",
    enum: PRICE_INTERVALS,
    default: "1h",
  }),
];

/** The parameters of pages: limit and cursor. */
export const PAGE_PARAMETERS: readonly Parameter[] = [
  query("limit", "The number of items on a page.", {
    type: "integer",
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
  }),
  query("cursor", "`next_cursor` of the previous page, unchanged.", {
    type: "string",
    pattern: "^[A-Za-z0-9_-]+$",
  }),
];

/** Makes the query parameters of a list (Decision D19); without statuses there is no such filter. */
export function listParameters(statuses: readonly string[] = []): Parameter[] {
  const filters = [
    query("created_from", "Only what was made at this time or later.", TIME_SHAPE),
    query("created_to", "Only what was made before this time.", TIME_SHAPE),
    query("idempotency_key", "Only what this key has made.", KEY_SHAPE),
  ];
  if (statuses.length > 0) {
    filters.push(query("status", "Only in this state.", { type: "string", enum: statuses }));
  }
  return [...PAGE_PARAMETERS, ...filters];
}

/** The sequence number after which a list of events begins. */
export const AFTER_SEQUENCE: Parameter = {
  name: "after_sequence",
  in: "query",
  required: false,
  description: "Only events with a greater `sequence`, oldest first; 0 for all. Only `limit` " +
    "and `cursor` go with it.",
  schema: { type: "integer", minimum: 0 },
};

/** The sequence number after which a stream of events begins. */
export const AFTER_STREAMED: Parameter = {
  ...AFTER_SEQUENCE,
  description: "The stream begins behind this number; 0 for all. Needed unless `Last-Event-ID` " +
    "is sent.",
};

/** The header with the last event that a client has seen, after which a stream continues. */
export const LAST_EVENT_ID: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The last `id` that was received; goes before `after_sequence`.",
  schema: AFTER_SEQUENCE.schema,
};

/** Makes the parameters for the headers that a door requires. */
export function doorParameters(door: DoorContract): Parameter[] {
  return [...(door.needsKey ? [IDEMPOTENCY_KEY] : []), ...(door.isSigned ? SIGNED_HEADERS : [])];
}

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description: "Your name for this write. The same key again gives the first answer again.",
  schema: KEY_SHAPE,
};

const SIGNED_HEADERS: readonly Parameter[] = [
  {
    name: "X-Timestamp",
    in: "header",
    required: true,
    description: "Unix time in seconds, at most " +
      `${TIMESTAMP_WINDOW_SECONDS} away from the service's.`,
    schema: { type: "string", pattern: "^[1-9][0-9]{0,10}$" },
  },
  {
    name: "X-Nonce",
    in: "header",
    required: true,
    description: "Never used before.",
    schema: {
      type: "string",
      minLength: NONCE_MIN_LENGTH,
      maxLength: NONCE_MAX_LENGTH,
      pattern: VISIBLE_ASCII,
    },
  },
  {
    name: "X-JWS-Signature",
    in: "header",
    required: true,
    description: "A detached ES256 JWS with unencoded payload (RFC 7797) over the five lines: " +
      "method, URL, SHA-256 of the body, timestamp, nonce.",
    schema: { type: "string", pattern: String.raw`^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}$` },
  },
];
