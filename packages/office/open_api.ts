import { rolesFor } from "@sabika/terms";
import { CARRIED_NAMES, shapeOfArguments } from "./acts/catalogue.ts";
import { PROBLEM_MEDIA_TYPE, PROBLEM_SHAPE, type Shape } from "@sabika/protocol";
import { type ListedBy, type Read, shapeOf } from "./reads/read.ts";
import { READS } from "./reads/reads.ts";

type Json = Record<string, unknown>;

const text = (description: string): Shape => ({ type: "string", description });
const object = (properties: Record<string, Shape>, optional: readonly string[] = []): Shape => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const CREDENTIAL: Shape = {
  type: "object",
  description: "`PublicKeyCredential.toJSON()`, as the browser made it.",
};
const OPTIONS: Shape = {
  type: "object",
  description: "For `PublicKeyCredential.parseRequestOptionsFromJSON`, or `parseCreation…`.",
};
const LINK = text("What stands behind the # of the link.");
const ACT = object({
  id: { ...text("A UUID, good once."), format: "uuid" },
  name: { ...text("The act."), enum: CARRIED_NAMES },
  arguments: { type: "object", description: "Amounts are decimal texts." },
  signed_at: { type: "integer", description: "Unix time in seconds, good for five minutes." },
});
const SIGNED_IN = object({
  name: text("Who is signed in."),
  roles: { type: "array", items: { type: "string" } },
  signed_in_until: { ...text("When they have to sign in again."), format: "date-time" },
});
const STAGED = object({ act: ACT, options: OPTIONS });
const OUTCOME = object({
  state: { type: "string", enum: ["done", "waiting"] },
  result: { description: "Of what is done; snake_case, amounts as texts of minor units." },
  request: text("Of what waits: its id in `/approvals`."),
  until: { ...text("Of what waits: how long."), format: "date-time" },
  approvers: { type: "array", items: { type: "string" } },
}, ["result", "request", "until", "approvers"]);

/** The `POST` requests. */
const POSTS: readonly (readonly [path: string, summary: string, body: Shape, answer: Shape])[] = [
  [
    "/sign-in/options",
    "Begins signing in",
    object({}),
    object({ options: OPTIONS }),
  ],
  ["/sign-in", "Signs in with a passkey", object({ credential: CREDENTIAL }), SIGNED_IN],
  ["/sign-out", "Ends the session", object({}), object({})],
  [
    "/enrolment/options",
    "Begins registering a passkey by a one-time link",
    object({ link: LINK }),
    object({ operator: text("Whose it will be."), options: OPTIONS }),
  ],
  [
    "/enrolment/act",
    "Stages the act by which the new passkey signs its own registration",
    object({ link: LINK, credential: CREDENTIAL }),
    STAGED,
  ],
  [
    "/enrolment",
    "Registers the passkey, and signs in",
    object({ link: LINK, registration: CREDENTIAL, act: ACT, credential: CREDENTIAL }),
    SIGNED_IN,
  ],
  [
    "/acts/stage",
    "Prepares an act to be signed by a passkey; nothing is done yet",
    object({ name: { type: "string", enum: CARRIED_NAMES }, arguments: { type: "object" } }),
    STAGED,
  ],
  [
    "/acts",
    "Does an act that a passkey signed, or a key of the command's: at once, or when a second person approves (202)",
    object({
      act: ACT,
      credential: CREDENTIAL,
      signature: text("In place of `credential`: a detached JWS over the act, by a person's key."),
      attachment: text("What the arguments have only the hash of: the whole URL of a feed."),
    }, ["credential", "signature", "attachment"]),
    OUTCOME,
  ],
];

/** The paths that a browser opens itself, without a session, with their answers by status. */
const BROWSER_PATHS:
  readonly (readonly [path: string, summary: string, answers: Record<string, string>])[] = [
    ["/single-sign-on", "Leads to the company's OpenID provider", {
      "303": "To the provider, or back to the page for signing in with `?refused=CODE`.",
    }],
    ["/single-sign-on/return", "Signs in whom the provider sends back", {
      "200": "Signed in: a page that leads on.",
      "303": "To the page for signing in with `?refused=CODE`.",
    }],
  ];

/** Makes the OpenAPI 3.1 document of the Admin API, out of the tables that its routes are made from. */
export function openApiDocument(origin: string): Json {
  const paths: Record<string, Json> = {};
  for (const [path, summary, body, answer] of POSTS) {
    paths[path] = {
      post: {
        summary,
        tags: ["Acts and sessions"],
        requestBody: { required: true, content: { "application/json": { schema: body } } },
        responses: responsesOf(answer, path === "/acts" ? ["200", "202"] : ["200"]),
      },
    };
  }
  for (const [path, summary, answers] of BROWSER_PATHS) {
    const responses = Object.entries(answers).map(([status, description]) =>
      [status, { description }] as const
    );
    paths[path] = {
      get: {
        summary,
        tags: ["Acts and sessions"],
        security: [],
        responses: Object.fromEntries(responses),
      },
    };
  }
  for (const read of READS) paths[read.path] = { get: readObject(read) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Sabika, the operator's office",
      version: "1.0.0",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: `${origin}/admin/v1` }],
    security: [{ session: [] }, { signature: [] }],
    tags: [{ name: "Acts and sessions" }, { name: "Reading" }],
    paths,
    components: {
      schemas: { Problem: PROBLEM_SHAPE },
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "__Host-sabika_office" },
        signature: {
          type: "apiKey",
          in: "header",
          name: "X-JWS-Signature",
          description:
            "With `X-Timestamp` and `X-Nonce`: the request as the person's key signed it.",
        },
      },
    },
    "x-acts": Object.fromEntries(
      CARRIED_NAMES.map((name) => {
        return [name, { roles: rolesFor(name), arguments: shapeOfArguments(name) }];
      }),
    ),
  };
}

const DESCRIPTION =
  `For the operator's own people. Everything is read by whoever has a role for it, and done by acts that a person signs.

Refusals are \`application/problem+json\` (RFC 9457) with a stable \`code\`. \`x-acts\` lists the acts with their arguments and the roles that open them; some of them wait for a second person.`;

/** The query parameters of lists besides their own filters. */
const LIST_PARAMETERS: Readonly<Record<ListedBy, readonly (readonly [string, Shape])[]>> = (() => {
  const page = [
    ["limit", { type: "integer", minimum: 1, maximum: 100 }],
    ["cursor", { type: "string" }],
  ] as const;
  const period = [
    ...page,
    ["created_from", { type: "string", format: "date-time" }],
    ["created_to", { type: "string", format: "date-time" }],
  ] as const;
  return { all: [], page, period, key: [...period, ["idempotency_key", { type: "string" }]] };
})();

function readObject(read: Read): Json {
  const { path, summary, act, filters = {} } = read;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const parameters = Object.entries(filters).map(([name, { values, isCount = false }]) =>
    [
      name,
      isCount ? { type: "integer", minimum: 1 } : { type: "string", ...values && { enum: values } },
    ] as const
  );
  const ofList = read.kind === "one" ? [] : LIST_PARAMETERS[read.by];
  const inQuery = [...ofList, ...parameters].map(([name, schema]) => ({
    name,
    in: "query",
    schema,
  }));
  return {
    summary,
    tags: ["Reading"],
    "x-roles": rolesFor(act),
    parameters: [...inPath, ...inQuery],
    responses: responsesOf(shapeOf(read), ["200"]),
  };
}

function responsesOf(schema: Shape, statuses: readonly string[]): Json {
  const content = { "application/json": { schema } };
  return {
    ...Object.fromEntries(statuses.map((status) => [status, { description: "Done.", content }])),
    default: {
      description: "Refused.",
      content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  };
}
