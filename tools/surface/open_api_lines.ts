type Json = Record<string, unknown>;

const METHODS = ["get", "put", "post", "delete", "patch"];

/** Lists the endpoints of an OpenAPI document with parameters and answers, and the members of its schemas. */
export function openApiLines(document: Json): string[] {
  const { paths, webhooks, components } = document as { [name: string]: Record<string, Json> };
  const lines: string[] = [];
  for (const [path, item] of Object.entries({ ...paths, ...webhooks })) {
    for (const method of METHODS.filter((method) => method in item)) {
      const name = path in paths! ? `${method.toUpperCase()} ${path}` : `webhook ${path}`;
      lines.push(`route ${name}`, ...operationLines(name, item[method] as Json));
    }
  }
  const schemas = components!["schemas"] as Record<string, Json>;
  for (const [name, schema] of Object.entries(schemas)) lines.push(...memberLines(name, schema));
  return lines;
}

function operationLines(name: string, { parameters = [], responses, requestBody }: Json): string[] {
  const named = parameters as { name: string; required?: boolean }[];
  const body = (requestBody as { content?: Json } | undefined)?.content ?? {};
  return [
    ...named.map((parameter) => `parameter ${name} ${parameter.name}${must(parameter.required)}`),
    ...Object.keys(responses as Json).map((status) => `answer ${name} ${status}`),
    ...formsIn(body).map((form) => `body ${name} ${form}`),
  ];
}

/** Lists the members of a schema with their types, including those of nested schemas. */
function memberLines(name: string, schema: Json): string[] {
  const properties = (schema["properties"] ?? {}) as Record<string, Json>;
  const required = (schema["required"] ?? []) as string[];
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((key) => (schema[key] ?? []) as Json[]);
  const items = schema["items"] as Json | undefined;
  return [
    ...((schema["enum"] ?? []) as unknown[]).map((value) => `value ${name} ${value}`),
    ...branches.flatMap((branch) => memberLines(name, branch)),
    ...(items === undefined ? [] : memberLines(`${name}[]`, items)),
    ...Object.entries(properties).flatMap(([key, member]) => [
      `member ${name}.${key}: ${typeOf(member)}${
        // Only a request can require a member: answers may always gain some.
        /Request$/.test(name.split(".")[0]!) ? must(required.includes(key)).slice(1) : ""}`,
      ...memberLines(`${name}.${key}`, member),
    ]),
  ];
}

function typeOf(schema: Json): string {
  const forms = formsIn({ schema });
  if (forms.length > 0) return forms.join(" or ");
  return [schema["type"] ?? "any"].flat().join(" or ");
}

/** Returns the names of the schemas to which a value refers. */
function formsIn(value: unknown): string[] {
  const found = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...new Set(Array.from(found, ([, name]) => name!))];
}

function must(isRequired: boolean | undefined): string {
  return isRequired === true ? ": must" : "";
}
