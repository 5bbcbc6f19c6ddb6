import {
  type Environment,
  ERROR_CODES,
  type ErrorCode,
  HEADER,
  RETRYABLE,
  type Scope,
  STATUS_OF,
  TITLE_OF,
} from "@sabika/protocol";
import { DOOR_CONTRACTS, type DoorContract } from "../door_contracts.ts";
import { EVENT_CONTRACTS } from "../events.ts";
import { CHAPTERS, type Operation } from "../operation.ts";
import { OPERATION_LIST } from "../operations.ts";
import { doorParameters } from "../parameters.ts";
import { RESPONSE_HEADERS } from "./response_headers.ts";
import { contentOf, responsesOf, SharedResponses } from "./responses.ts";
import { Schemas } from "./schemas.ts";

type Json = Record<string, unknown>;

/** The values of a document that depend on the deployment. */
export interface DocumentSettings {
  readonly environment: Environment;
  /** The base URL for partners, without a trailing slash. */
  readonly baseUrl: string;
}

/** Makes the OpenAPI 3.1 document of the service (Decision D72), as a JSON value. */
export function openApiDocument({ environment, baseUrl }: DocumentSettings): Json {
  const schemas = new Schemas();
  const shared = new SharedResponses();
  const paths: Record<string, Json> = {};
  for (const [operationId, operation] of OPERATION_LIST) {
    if (operation.isSandboxOnly === true && environment !== "sandbox") continue;
    const { path, method } = operation;
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operationObject(operationId, operation, schemas, shared),
    };
  }
  const webhooks = EVENT_CONTRACTS.map(({ type, description, shape, example }) => [type, {
    post: {
      operationId: `on_${type.replaceAll(".", "_")}`,
      summary: description,
      description: WEBHOOK_DESCRIPTION,
      tags: ["Webhooks"],
      security: [],
      parameters: WEBHOOK_HEADERS,
      requestBody: {
        required: true,
        content: contentOf([{ mediaType: "application/json", shape, example }], schemas),
      },
      responses: WEBHOOK_RESPONSES,
    },
  }]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Sabika",
      version: "1.0.0",
      summary: "Buying and selling physical-backed 24K gold",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    servers: [{ url: baseUrl, description: SERVER_DESCRIPTIONS[environment] }],
    tags: Object.entries({ ...CHAPTERS, Webhooks: "What is posted to your endpoint." })
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: {
      schemas: schemas.named(),
      responses: shared.named(),
      headers: RESPONSE_HEADERS,
      examples: Object.fromEntries(
        // 405 answers methods that are not operations.
        ERROR_CODES.filter((code) => code !== "method_not_allowed")
          .map((code) => [code, problemExample(code)]),
      ),
      securitySchemes: securitySchemes(baseUrl),
    },
  };
}

const SERVER_DESCRIPTIONS = {
  sandbox: "The sandbox: play money; `npm start` serves it. `Sabika-Simulate` makes it simulate " +
    "the failures that docs/simulate.md lists.",
  production: "Production.",
} as const;

const DESCRIPTION = `Firm quotes, instant orders, prefunded SAR accounts, signed webhooks.

Every call presents a client certificate; calls below \`/v1/\` have an access token that is bound to it, and orders and withdrawals are signed. Every write has an \`Idempotency-Key\`.

Amounts are JSON numbers, decimal and exact: money has at most 2 decimals, gold and prices at most 4, no amount more than 15 significant digits, and none an exponent. A number in quotation marks is refused, and so is one with more digits: nothing is rounded. Read them with a decimal type.

Refusals are \`application/problem+json\` (RFC 9457) with a stable \`code\`. Another method than those listed is answered with 405 \`method_not_allowed\` and \`Allow\`; HEAD is allowed wherever GET is. New members, event types and error codes may come; pass over those that you do not know.`;

function operationObject(
  operationId: string,
  operation: Operation,
  schemas: Schemas,
  shared: SharedResponses,
): Json {
  const door = DOOR_CONTRACTS[operation.door];
  const { chapter, summary, description, request, parameters = [] } = operation;
  return {
    operationId,
    tags: [chapter],
    summary,
    description,
    security: securityOf(door),
    parameters: [...parameters, ...doorParameters(door)],
    ...(request && {
      requestBody: { required: request.isRequired, content: contentOf([request], schemas) },
    }),
    responses: responsesOf(operation, schemas, shared),
  };
}

function securityOf({ token, scope }: DoorContract): Json[] {
  const certificate = { certificate: [] };
  const both = { certificate: [], token: scope === undefined ? [] : [scope] };
  if (token === "required") return [both];
  return token === "optional" ? [both, certificate] : [certificate];
}

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: "Reads, and events sent again.",
  trade: "Quotes, orders and play money.",
  withdraw: "Withdrawals, and cancelling them.",
};

function securitySchemes(baseUrl: string): Json {
  return {
    certificate: {
      type: "mutualTLS",
      description: "The client certificate of the kit.",
    },
    token: {
      type: "oauth2",
      description: "An access token that is bound to the client certificate (RFC 8705), sent as " +
        "`Authorization: Bearer`.",
      flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth/token`, scopes: SCOPE_TEXTS } },
    },
  };
}

function problemExample(code: ErrorCode): Json {
  return {
    summary: TITLE_OF[code],
    value: {
      type: `urn:sabika:error:${code}`,
      title: TITLE_OF[code],
      status: STATUS_OF[code],
      detail: `${TITLE_OF[code]}.`,
      instance: "/v1/orders",
      code,
      request_id: "req_019e9c5e-51b4-7f3e-a6d2-4c1b0e9f8a77",
      retryable: RETRYABLE[code],
    },
  };
}

const WEBHOOK_DESCRIPTION = "Posted to your endpoint, at least once and in sequence. Verify the " +
  "signature over the raw body before you parse it (Standard Webhooks).";

const WEBHOOK_HEADERS = [
  [HEADER.webhookId, "The id of the event, the same in every attempt."],
  [HEADER.webhookTimestamp, "Unix time in seconds of this attempt."],
  [
    HEADER.webhookSignature,
    "`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by full stops. " +
    "During a rotation several, with a space between them.",
  ],
].map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
}));

const WEBHOOK_RESPONSES = {
  "2XX": { description: "Accepted. Answer within 15 seconds, and do the work later." },
  "410": { description: "Disables your endpoint until it is enabled again." },
  "default": { description: "Not accepted: it is sent again, less and less often, for 4 days." },
};
