import type { Shape } from "@sabika/protocol";

/**
 * Makes the shape of an object for which there is no form.
 *
 * @param title the shape's name in the document
 * @param required the members that must be present; all of them by default
 */
export function objectShape(
  title: string,
  properties: Readonly<Record<string, Shape>>,
  required: readonly string[] = Object.keys(properties),
): Shape {
  return { title, type: "object", properties, required };
}

/** Makes the shape of a text with its description. */
export function textShape(description: string): Shape {
  return { type: "string", description };
}
