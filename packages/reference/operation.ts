import type { ErrorCode, Shape } from "@sabika/protocol";
import type { DoorName } from "./door_contracts.ts";

/** The chapters of the reference, in their order, and what each has. */
export const CHAPTERS = {
  Connecting: "Who you are, tokens, prices and limits.",
  Trading: "What moves money and gold.",
  Reading: "What was done, and what you own.",
  Events: "What happened, sent and asked for.",
} as const;
/** One of {@link CHAPTERS}. */
export type Chapter = keyof typeof CHAPTERS;

/** A parameter of the path or the query, or a header of the request. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Shape & { readonly default?: unknown };
}

/** A body in one media type. */
export interface Content {
  readonly mediaType: string;
  readonly shape: Shape;
  /** A JSON value; a text if the media type is not JSON. */
  readonly example: unknown;
}

/** A successful answer. */
export interface Reply {
  readonly status: number;
  readonly description: string;
  readonly contents: readonly Content[];
  /** Whether it is the answer to a repeated write (Decision D28). */
  readonly isReplay?: boolean;
}

/** The description of an endpoint: parameters, body, answers and refusals. */
export interface Operation<D extends DoorName = DoorName> {
  readonly method: "GET" | "POST";
  /** The path, with `{id}` as a parameter. */
  readonly path: string;
  readonly door: D;
  readonly chapter: Chapter;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description: string;
  readonly isSandboxOnly?: boolean;
  /** Parameters besides the headers that its door requires. */
  readonly parameters?: readonly Parameter[];
  readonly request?: Content & { readonly isRequired: boolean };
  readonly replies: readonly Reply[];
  /** The codes with which the endpoint itself refuses, besides those of its door. */
  readonly refusals?: readonly ErrorCode[];
  /** For the token endpoint: the statuses of errors in the form of RFC 6749 §5.2. */
  readonly oauthErrors?: readonly number[];
}

/** Makes an operation whose type names its door. A read refuses query parameters that it does not have. */
export function operation<D extends DoorName>(
  method: Operation["method"],
  path: string,
  door: D,
  rest: Omit<Operation, "method" | "path" | "door">,
): Operation<D> {
  const isRead = door === "read" && !rest.refusals?.includes("invalid_request");
  const refusals: readonly ErrorCode[] = [
    ...rest.refusals ?? [],
    ...isRead ? ["invalid_request" as const] : [],
  ];
  return { method, path, door, ...rest, ...refusals.length > 0 && { refusals } };
}
