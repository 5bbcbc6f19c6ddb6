import type { SimulationName } from "@sabika/protocol";
import type { FetchAnswer } from "./transport.ts";

/** What one call of the API is; the sender knows how to carry any of them out. */
export interface Call<T> {
  method: "GET" | "POST";
  /** Path and query below the base URL, exactly as it is to be signed. */
  path: string;
  /** The body's text and its media type. */
  body?: { text: string; mediaType: string };
  accept?: string;
  /** Sends the bearer token. */
  token: boolean;
  /** Signs the request (Spec §5 Signed requests). */
  signed?: boolean;
  /** On every POST but the token's: made once a call, sent with each attempt. */
  idempotencyKey?: string;
  /** Hides the body from the observer: it holds a secret. */
  secretBody?: boolean;
  signal?: AbortSignal;
  /** Brought about at the first attempt alone. */
  simulate?: SimulationName;
  /** A status beside 2xx that brings what `read` reads. */
  alsoStatus?: number;
  /** Leaves the body of a 2xx answer to `read`, which gets an empty text. */
  isStream?: boolean;
  /** Reads the text of a 2xx answer; throws when it is not what the API promises. */
  read: (text: string, answer: FetchAnswer) => T;
}

/** One attempt, for whoever wants to watch: no token, secret or private key is in it. */
export interface Exchange {
  /** From 1. */
  attempt: number;
  /** The HTTP method. */
  method: string;
  /** The absolute URL. */
  url: string;
  /** As sent, with the bearer token replaced by an ellipsis. */
  headers: Record<string, string>;
  /** As sent; undefined when there is none or when it holds a secret. */
  body: string | undefined;
  /** 0 when no answer came. */
  status: number;
  /** The body of the answer; undefined when none came or when it holds a secret. */
  answer: string | undefined;
  /** `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** The service says that this repeats an earlier answer (Decision D28). */
  replayed: boolean;
  /** From sending until the answer was read. */
  milliseconds: number;
}
