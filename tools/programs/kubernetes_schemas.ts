/** What is read of Kubernetes' description (Swagger 2). */
interface Description {
  definitions: Record<string, Definition>;
}
interface Definition {
  properties?: Record<string, unknown>;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

const REFERENCE = "#/definitions/";

/**
 * JSON Schemas of all kinds of objects by the names of files that kubeconform looks for, such as
 * `deployment-apps-v1.json`; a member that Kubernetes does not know is refused.
 */
export function kubernetesSchemas({ definitions }: Description): Record<string, unknown> {
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, strictly(definition)]),
  );
  return Object.fromEntries(
    Object.entries(definitions).flatMap(([name, definition]) =>
      (definition["x-kubernetes-group-version-kind"] ?? []).map(({ group, version, kind }) => {
        const file = [kind, group.split(".")[0], version].filter((part) => part !== "").join("-");
        const schema = { $ref: `${REFERENCE}${name}`, definitions: reachable(name, strict) };
        return [`${file.toLowerCase()}.json`, schema];
      })
    ),
  );
}

/** Only what is described may be there, and a port's name may stand for its number. */
function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, strictly(member)]),
  );
  if (all["format"] === "int-or-string") return { type: ["integer", "string"] };
  const isObject = typeof all["properties"] === "object" &&
    all["additionalProperties"] === undefined;
  return isObject ? { ...all, additionalProperties: false } : all;
}

function reachable(name: string, all: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next in found) continue;
    found[next] = all[next];
    const text = JSON.stringify(all[next]);
    waiting.push(
      ...Array.from(text.matchAll(/"#\/definitions\/([^"]+)"/g), ([, reference]) => reference!),
    );
  }
  return found;
}
