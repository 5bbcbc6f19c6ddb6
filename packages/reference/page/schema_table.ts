import { html } from "hono/html";
import { type Html, prose, table } from "./text.ts";

/** The members of a schema that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Makes a table of an object's members: name, type and meaning; the members are anchors if `isAnchored`. */
export function schemaTable(
  name: string,
  { properties = {}, required = [], oneOf }: Schema,
  isAnchored = false,
): Html {
  const rows = Object.entries(properties).map(([member, schema]) => {
    const must = required.includes(member) ? "" : html`
      <span class="note">may be left out</span>
    `;
    const code = isAnchored
      ? html`<code id="${name}.${member}">${member}</code>`
      : html`<code>${member}</code>`;
    return [html`${code}${must}`, typeOf(schema), prose(meaningOf(schema))];
  });
  const alternatives = oneOf?.map(({ required: [member] }) => `\`${member}\``).join(" and ");
  return html`${table(`Members of ${name}`, ["Member", "Type", "Meaning"], rows)}${
    alternatives === undefined ? "" : html`<p>${prose(`Exactly one of ${alternatives}.`)}</p>`
  }`;
}

/** Describes a schema's type, with links to named schemas. */
export function typeOf(schema: Schema): Html {
  const { $ref, const: constant, enum: values, items, anyOf, properties, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (constant !== undefined) return html`<code>${JSON.stringify(constant)}</code>`;
  if (values !== undefined) {
    return html`${
      values.map((value, n) => html`${n > 0 ? " | " : ""}<code>${String(value)}</code>`)
    }`;
  }
  if (items !== undefined) return html`list of ${typeOf(items)}`;
  if (anyOf !== undefined) {
    return html`${
      anyOf.map((alternative, n) => html`${n > 0 ? " | " : ""}${typeOf(alternative)}`)
    }`;
  }
  if (properties !== undefined) {
    const members = Object.entries(properties);
    return html`object with ${
      members.map(([name, member], n) =>
        html`${n > 0 ? ", " : ""}<code>${name}</code>: ${typeOf(member)}`
      )
    }`;
  }
  const kind = (typeof type === "string" ? [type] : type ?? ["anything"]).join(" | ");
  return html`${schema.format === "decimal" ? kind.replace("number", "decimal number") : kind}`;
}

/** Returns a schema's description with its bounds. */
function meaningOf(schema: Schema): string {
  const { description = "", format, minimum, maximum, minLength, maxLength, default: preset } =
    schema;
  const bounds = [
    format === "date-time" ? "RFC 3339, in UTC." : "",
    minimum === undefined ? "" : `At least ${minimum}.`,
    maximum === undefined ? "" : `At most ${maximum}.`,
    minLength === undefined && maxLength === undefined
      ? ""
      : `${minLength ?? 0} to ${maxLength ?? "any number of"} characters.`,
    preset === undefined ? "" : `${String(preset)} when it is left out.`,
  ];
  return [description, ...bounds].filter((text) => text !== "").join(" ");
}
