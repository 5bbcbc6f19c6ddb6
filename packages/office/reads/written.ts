import { decimalShape, type Form, formatDecimal, type Shape } from "@sabika/protocol";

/** How a value is written as JSON, and what a document says of it. */
export type Written<T> = Pick<Form<T>, "shape" | "write">;

/** A member of an object: what it is of the whole. */
export interface Member<T> {
  readonly shape: Shape;
  readonly write: (whole: T) => string;
}

/** @param says what the member is, for the document; left out where its name says it */
export function member<T, V>(form: Written<V>, of: (whole: T) => V, says?: string): Member<T> {
  const shape = says === undefined ? form.shape : { ...form.shape, description: says };
  return { shape, write: (whole) => form.write(of(whole)) };
}

/** An object with these members, by their names. */
export function object<T>(title: string, members: Readonly<Record<string, Member<T>>>): Written<T> {
  const all = Object.entries(members);
  return {
    shape: {
      ...{ title, type: "object", required: Object.keys(members) },
      properties: Object.fromEntries(all.map(([name, { shape }]) => [name, shape])),
    },
    write: (whole) => `{${all.map(([name, { write }]) => `"${name}":${write(whole)}`).join()}}`,
  };
}

/** An array of these. */
export function array<T>({ shape, write }: Written<T>): Written<readonly T[]> {
  return {
    shape: { type: "array", items: shape },
    write: (all) => `[${all.map((one) => write(one)).join()}]`,
  };
}

/** What is JSON already. */
export const JSON_VALUE: Written<object> = { shape: { type: "object" }, write: JSON.stringify };

/** Parts in a million; percent on the wire, as acts take them. */
export const PERCENT: Written<bigint> = {
  shape: decimalShape(4, "percent"),
  write: (ppm) => formatDecimal(ppm, 4),
};
