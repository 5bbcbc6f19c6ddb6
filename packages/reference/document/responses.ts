import {
  type ErrorCode,
  JSON_MEDIA_TYPE,
  PROBLEM_MEDIA_TYPE,
  PROBLEM_SHAPE,
  STATUS_OF,
  TITLE_OF,
} from "@sabika/protocol";
import { refusalsOfDoor } from "../door_contracts.ts";
import type { Content, Operation } from "../operation.ts";
import { OAUTH_ERROR } from "../operations/connecting.ts";
import { headersOf } from "./response_headers.ts";
import type { Schemas } from "./schemas.ts";

type Json = Record<string, unknown>;

/** Returns the statuses of a code; the sidecar answers `outcome_unknown` with three (Decision D32). */
export function statusesOf(code: ErrorCode): readonly number[] {
  return code === "outcome_unknown" ? [502, 503, 504] : [STATUS_OF[code]];
}

/** Returns every code with which an operation can be refused, in the order of Decision D32. */
export function refusalsOf({ door, refusals = [] }: Operation): readonly ErrorCode[] {
  const all = new Set<ErrorCode>([...refusalsOfDoor(door), ...refusals]);
  return (Object.keys(STATUS_OF) as ErrorCode[]).filter((code) => all.has(code));
}

/** Makes the responses of an operation, by status. */
export function responsesOf(
  operation: Operation,
  schemas: Schemas,
  shared: SharedResponses,
): Record<string, Json> {
  const parts: Part[] = [
    ...operation.replies.map(({ status, description, contents, isReplay }) => ({
      status,
      description,
      content: contentOf(contents, schemas),
      headers: isReplay === true ? ["Idempotent-Replayed"] : [],
    })),
    ...(operation.oauthErrors ?? []).map((status) => oauthErrorPart(status, schemas)),
    ...refusedParts(refusalsOf(operation), schemas),
  ];
  const responses: Record<string, Json> = {};
  for (const status of new Set(parts.map((part) => part.status))) {
    const same = parts.filter((part) => part.status === status);
    const response = {
      description: same.map(({ description }) => description).join(" "),
      headers: headersOf(status, same.flatMap(({ headers }) => headers)),
      content: Object.assign({}, ...same.map(({ content }) => content)),
    };
    responses[status] = status < 400 ? response : shared.of(status, response);
  }
  return responses;
}

/** Collects the refusals of all operations, so that equal ones are in the document only once. */
export class SharedResponses {
  readonly #names = new Map<string, string>();

  /** Returns a reference to the response. */
  of(status: number, response: Json): Json {
    const text = JSON.stringify(response);
    let name = this.#names.get(text);
    if (name === undefined) {
      const others = [...this.#names.values()].filter((key) => key.startsWith(`Refused${status}`));
      name = `Refused${status}${others.length === 0 ? "" : `_${others.length + 1}`}`;
      this.#names.set(text, name);
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** Returns all responses, by name. */
  named(): Json {
    const all = [...this.#names].map(([text, name]) => [name, JSON.parse(text) as Json] as const);
    return Object.fromEntries(all.sort(([first], [other]) => first < other ? -1 : 1));
  }
}

/** A possible answer with a status; several parts may have the same status. */
interface Part {
  readonly status: number;
  readonly description: string;
  readonly content: Json;
  readonly headers: readonly string[];
}

function oauthErrorPart(status: number, schemas: Schemas): Part {
  const example = status === 401
    ? { error: "invalid_client", error_description: "The client could not be authenticated." }
    : status === 400 || status === 413
    ? { error: "invalid_request", error_description: "client_id is missing." }
    : { error: "temporarily_unavailable", error_description: "Try again later." };
  const content = contentOf([{ mediaType: JSON_MEDIA_TYPE, shape: OAUTH_ERROR, example }], schemas);
  return { status, description: `\`${example.error}\`.`, content, headers: [] };
}

function refusedParts(codes: readonly ErrorCode[], schemas: Schemas): Part[] {
  const all = codes.flatMap((code) => statusesOf(code).map((status) => ({ status, code })));
  return [...new Set(all.map(({ status }) => status))].map((status) => {
    const here = all.filter((entry) => entry.status === status).map(({ code }) => code);
    const examples = here.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
    return {
      status,
      description: here.map((code) => `\`${code}\`: ${TITLE_OF[code]}.`).join(" "),
      content: {
        [PROBLEM_MEDIA_TYPE]: {
          schema: schemas.of(PROBLEM_SHAPE),
          examples: Object.fromEntries(examples),
        },
      },
      headers: [],
    };
  });
}

const EVENT_STREAM = "text/event-stream";

/** Makes the bodies of a response by media type, each with its schema and example. */
export function contentOf(contents: readonly Content[], schemas: Schemas): Json {
  return Object.fromEntries(
    contents.map(({ mediaType, shape, example }) => [
      mediaType,
      // The example of a stream is of several events, and the schema of one.
      { schema: schemas.of(shape), ...(mediaType !== EVENT_STREAM && { example }) },
    ]),
  );
}
