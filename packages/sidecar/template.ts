import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Section, Value } from "./section.ts";

/** The values of `${…}`, by name; `limits.bodyBytes` names a member of `limits`. */
export interface Values {
  readonly [name: string]: Value | Values | undefined;
}

/** The sections of `envoy.yaml`. */
type Part = "bootstrap" | "partners_listener" | "partner_chain" | "partners_http";

const TEMPLATE = parse(readFileSync(new URL("./envoy.yaml", import.meta.url), "utf8"), {
  merge: true,
}) as Record<Part, Value>;

/** A text that is only a name is replaced by the value itself, whatever its type. */
const NAME = /^\$\{([\w.]+)\}$/;
const NAMES = /\$\{([\w.]+)\}/g;

/**
 * Fills in a section of Envoy's configuration. A member whose value is undefined is left out, and so is
 * a section whose `$if` names an undefined value; a list in a list is spread.
 *
 * @throws Error for a name without a value in the middle of a text
 */
export function fill(part: Part, values: Values): Section {
  return fillValue(TEMPLATE[part], values) as Section;
}

function fillValue(value: Value, values: Values): Value | undefined {
  if (typeof value === "string") return fillText(value, values);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    return value.flatMap((item: Value) => fillValue(item, values) ?? []);
  }
  const { $if: condition, ...members } = value as Section;
  if (condition !== undefined && valueOf(condition as string, values) === undefined) {
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(members)
      .map(([name, member]) => [name, fillValue(member, values)])
      .filter(([, member]) => member !== undefined),
  );
}

function fillText(text: string, values: Values): Value | undefined {
  const name = NAME.exec(text)?.[1];
  if (name !== undefined) return valueOf(name, values);
  return text.replaceAll(NAMES, (_, name: string) => {
    const value = valueOf(name, values);
    if (value === undefined) throw new Error(`envoy.yaml: there is no value for ${name}`);
    return String(value);
  });
}

function valueOf(name: string, values: Values): Value | undefined {
  let found: Value | Values | undefined = values;
  for (const member of name.split(".")) found = (found as Values | undefined)?.[member];
  return found as Value | undefined;
}
