import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "@sabika/reference";

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Response {
  readonly $ref?: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}

type Operations = Readonly<
  Record<string, { readonly responses: Readonly<Record<string, Response>> }>
>;

interface Document {
  readonly paths: Readonly<Record<string, Operations>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

const document = openApiDocument({
  environment: "sandbox",
  baseUrl: "https://sabika.test",
}) as unknown as Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>();

/**
 * Compares an answer of the service with the OpenAPI document (Decision D72): status, headers, media type,
 * error code, schema. Answers on undocumented paths, or of other servers, pass.
 *
 * @throws {Error} with the difference
 */
export function checkDocumented(method: string, target: string, answer: Answer): void {
  // Only answers of the service and of the sidecar have this header.
  if (answer.headers.get("x-content-type-options") !== "nosniff") return;
  const path = documentedPath(target.split("?")[0]!);
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const responses = path === undefined ? undefined : document.paths[path]![verb]?.responses;
  // 405 answers methods for which there is no operation to document it.
  if (responses === undefined || answer.status === 405) return;
  const place = `#/paths/${escaped(path!)}/${verb}/responses/${answer.status}`;
  const difference = differenceOf(answer, responses[answer.status], place, method === "HEAD");
  if (difference !== undefined) {
    throw new Error(`the document and ${method} ${path} ${answer.status} differ: ${difference}`);
  }
}

function documentedPath(path: string): string | undefined {
  const withId = path.replace(/^(\/v1\/[a-z-]+)\/[^/]+/, "$1/{id}");
  return [path, withId].find((candidate) => Object.hasOwn(document.paths, candidate));
}

function differenceOf(
  { headers, body }: Answer,
  response: Response | undefined,
  place: string,
  isHead: boolean,
): string | undefined {
  if (response === undefined) return "it has no such status";
  const shared = response.$ref?.split("/").at(-1);
  const documented = shared === undefined ? response : document.components.responses[shared]!;
  const missing = Object.keys(documented.headers).find((name) =>
    document.components.headers[name]?.required === true && !headers.has(name.toLowerCase())
  );
  if (missing !== undefined) return `${missing} is missing`;
  const type = (headers.get("content-type") ?? "").split(";")[0]!;
  const mediaType = Object.keys(documented.content).find((mediaType) =>
    mediaType.split(";")[0] === type
  );
  if (mediaType === undefined) return `it has no ${type}`;
  if (isHead || !type.endsWith("json")) return undefined;
  const value = JSON.parse(body) as { code?: string };
  const { examples } = documented.content[mediaType]!;
  if (examples !== undefined && !Object.hasOwn(examples, value.code ?? "")) {
    return `it has no code ${value.code}`;
  }
  const at = shared === undefined ? place : `#/components/responses/${shared}`;
  const validate = validatorOf(`${at}/content/${escaped(mediaType)}/schema`);
  return validate(value) === true ? undefined : ajv.errorsText(validate.errors);
}

function validatorOf(pointer: string): ValidateFunction {
  if (ajv.getSchema("document") === undefined) ajv.addSchema(document, "document");
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validators.set(pointer, validate = ajv.compile({ $ref: `document${pointer}` }));
  }
  return validate;
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
