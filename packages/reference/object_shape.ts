import type { Shape } from "@sabika/protocol";

/**
 * The shape of an object that no form writes.
 *
 * @param title its name in the document
 * @param required the members that must be there; all of them when left out
 */
export function objectShape(
  title: string,
  properties: Readonly<Record<string, Shape>>,
  required: readonly string[] = Object.keys(properties),
): Shape {
  return { title, type: "object", properties, required };
}

/** A text, with what the document says of it. */
export function textShape(description: string): Shape {
  return { type: "string", description };
}
