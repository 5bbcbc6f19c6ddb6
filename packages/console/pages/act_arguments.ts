import type { ActArguments } from "@sabika/identity/signatures";

/** The fields of a form, each with all that was filled in under its name. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** What becomes of a field's text, by the first part of its name. */
const KINDS: Readonly<Record<string, (texts: readonly string[]) => unknown>> = {
  given: ([text = ""]) => text.trim() === "" ? undefined : text.trim(),
  number: ([text = ""]) => text.trim() === "" ? undefined : Number(text),
  flag: ([text]) => text === "on" ? true : undefined,
  lines: ([text = ""]) => text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line),
  some: (texts) => texts,
};

/**
 * The arguments of an act out of a form. A field is called by its kind and its argument:
 * `given.partner` is a text, `number.overlap_ms` a number, `lines.addresses` a text for each line,
 * `some.approvers` what was chosen of many, `flag.with_keys` a box, `number.rates.signed.burst` stands
 * within others. What is left empty is left out.
 */
export function readArguments(fields: Fields): ActArguments {
  const given: Record<string, unknown> = {};
  for (const [field, texts] of Object.entries(fields)) {
    const [kind = "", ...path] = field.split(".");
    const isNamed = path.length > 0 && path.every((name) => /^[a-z][A-Za-z0-9_]*$/.test(name));
    if (!Object.hasOwn(KINDS, kind) || !isNamed) continue;
    const value = KINDS[kind]!(texts);
    if (value !== undefined) put(given, path, value);
  }
  return given as ActArguments;
}

function put(within: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    within[name] = value;
    return;
  }
  const inner = Object.hasOwn(within, name) ? within[name] as Record<string, unknown> : {};
  within[name] = inner;
  put(inner, rest, value);
}
