import type { Shape } from "@sabika/protocol";

type Json = Record<string, unknown>;

/** Collects the named shapes, so that each is in the document only once. */
export class Schemas {
  readonly #named = new Map<string, { shape: Shape; schema: Json }>();

  /**
   * Makes the schema of a shape, in which every named shape is a reference.
   *
   * @throws {TypeError} if two shapes with one name differ
   */
  of(shape: Shape): Json {
    const { title, ...unnamed } = shape;
    if (title === undefined) return this.#withReferences(unnamed);
    const { description, ...bare } = unnamed;
    const known = this.#named.get(title);
    if (known === undefined) {
      this.#named.set(title, { shape: bare, schema: this.#withReferences(bare) });
    } else if (JSON.stringify(known.shape) !== JSON.stringify(bare)) {
      throw new TypeError(`two shapes are called ${title}`);
    }
    const $ref = `#/components/schemas/${title}`;
    return description === undefined ? { $ref } : { $ref, description };
  }

  /** Returns the schemas of all named shapes so far, by name. */
  named(): Record<string, Json> {
    const sorted = [...this.#named].sort(([first], [other]) => first < other ? -1 : 1);
    return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]));
  }

  #withReferences(shape: Shape): Json {
    const { properties, items, anyOf, additionalProperties } = shape;
    return {
      ...shape,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, this.of(member)]),
        ),
      }),
      ...(items && { items: this.of(items) }),
      ...(anyOf && { anyOf: anyOf.map((alternative) => this.of(alternative)) }),
      ...(typeof additionalProperties === "object" &&
        { additionalProperties: this.of(additionalProperties) }),
    };
  }
}
