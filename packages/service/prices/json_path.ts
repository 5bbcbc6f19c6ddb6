import { isJsonObject, type JsonValue } from "@sabika/protocol";

/**
 * Reads a path into a JSON value: members and indexes, `$.data.prices[0].ask`, `["a b"]` for other names.
 * The leading `$` may be left out.
 *
 * @returns its steps, or undefined when it is not such a path
 */
export function readJsonPath(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  let rest = path.startsWith("$") ? path.slice(1) : /^[[.]/.test(path) ? path : `.${path}`;
  if (rest === "") return undefined;
  while (rest !== "") {
    const match = /^(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]{0,5})\]|\["([^"\]]+)"\])/
      .exec(rest);
    if (match === null) return undefined;
    steps.push(match[2] === undefined ? (match[1] ?? match[3])! : Number(match[2]));
    rest = rest.slice(match[0].length);
  }
  return steps;
}

/** The value at a path, or undefined when there is none. */
export function followJsonPath(
  value: JsonValue,
  steps: readonly (string | number)[],
): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of steps) {
    if (typeof step === "string") at = isJsonObject(at) ? at.get(step) : undefined;
    else at = Array.isArray(at) ? (at as readonly JsonValue[])[step] : undefined;
  }
  return at;
}
