import type { SimulationName } from "@sabika/protocol";
import type { FetchAnswer } from "./transport.ts";

/** The description of an API call, which `send` carries out. */
export interface Call<T> {
  method: "GET" | "POST";
  /** Path and query below the base URL, exactly as they are signed. */
  path: string;
  /** The text of the body and its media type; no body by default. */
  body?: { text: string; mediaType: string };
  accept?: string;
  /** Whether the bearer token is sent. */
  token: boolean;
  /** Whether the request is signed (Spec §5 Signed requests). */
  signed?: boolean;
  /** The Idempotency-Key of a POST, sent with each attempt; none for token requests. */
  idempotencyKey?: string;
  /** Whether the body is hidden from the observer, because it has a secret. */
  secretBody?: boolean;
  signal?: AbortSignal;
  /** The failure that the first attempt requests (Decision D55). */
  simulate?: SimulationName;
  /** A further status, besides 2xx, whose body `read` reads. */
  alsoStatus?: number;
  /** Whether `read` gets the unread body of a 2xx answer, and an empty text. */
  isStream?: boolean;
  /** Reads the text of a 2xx answer; throws if it is not a valid answer of the API. */
  read: (text: string, answer: FetchAnswer) => T;
}

/** An attempt, as the observer sees it: without token, secret and private key. */
export interface Exchange {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The HTTP method. */
  method: string;
  /** The absolute URL. */
  url: string;
  /** The headers that were sent, with the bearer token replaced by an ellipsis. */
  headers: Record<string, string>;
  /** The body that was sent; undefined if there was none or it has a secret. */
  body: string | undefined;
  /** The status; 0 if no answer came. */
  status: number;
  /** The body of the answer; undefined if no answer came or it has a secret. */
  answer: string | undefined;
  /** The answer's `X-Request-Id`; undefined if it has none. */
  requestId: string | undefined;
  /** Whether the service marked the answer as a repetition of an earlier one (Decision D28). */
  replayed: boolean;
  /** The time from sending until the answer was read. */
  milliseconds: number;
}

/** Encodes a segment of a path, so that the caller's text cannot change the route. */
export function segment(text: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text;
  throw new TypeError("an id or a day consists of letters, digits, _ and -");
}
