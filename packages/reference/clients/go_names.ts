import type { Kind, Member } from "./model.ts";
import { camel, indent, pascal, saysOf, wrap } from "./words.ts";

/** The names of records in Go, where another type has the name, or the client had it before. */
const TYPES: Readonly<Record<string, string>> = { Price: "Prices", FundingRequest: "FundRequest" };

/** The names of members in Go, where they do not follow from those on the wire. */
const MEMBERS: Readonly<Record<string, string>> = {
  "Price.buy_price_sar": "Buy",
  "Price.sell_price_sar": "Sell",
  "Price.mid_price_sar": "Mid",
  "CountInspection.key": "KeyID",
  "Vault.fine_ug": "FineMicrograms",
};

/** The types of members in Go, where they do not follow from their kind. */
const MEMBER_TYPES: Readonly<Record<string, string>> = {
  "LastCount.sha256": "*string",
  "Vault.bars": "int",
  "PriceSpan.count": "int",
};

const UNITS = { sar: "SAR", grams: "Grams", price: "Price", rate: "Rate", amount: "Amount" };
const INITIALS = /(Id|Url|Vat|Iban|Sar|Csr|Csv|Ms|Sha256)(?![a-z])/g;

/** Writes a snake_case name as an exported name of Go. */
export function goName(name: string): string {
  return pascal(name).replace(INITIALS, (word) => word.toUpperCase());
}

/** Writes a snake_case name as an argument of Go. */
export function goArgument(name: string): string {
  return camel(name).replace(INITIALS, (word) => word.toUpperCase());
}

/** Returns the name of a record's type. */
export function goTypeName(record: string): string {
  return TYPES[record] ?? record;
}

/** Writes a comment. */
export function goComment(text: string): string[] {
  return wrap(text.replaceAll("`", ""), 100).map((line) => `// ${line}`);
}

/** Writes a text behind a name, in the form of Go's comments. */
export function goNamed(name: string, says: string): string[] {
  const [first = "", ...rest] = says;
  const lower = /^[A-Z][A-Z_-]/.test(says) ? first : first.toLowerCase();
  return goComment(`${name}: ${lower}${rest.join("")}`);
}

/** Makes a struct, with its fields aligned as gofmt does. */
export function goStruct(
  name: string,
  record: string,
  members: readonly Member[],
  isRequest: boolean,
  more: readonly Field[] = [],
): string[] {
  const fields = [...members.map((member) => fieldOf(record, member, isRequest)), ...more];
  return [`type ${name} struct {`, ...indent(aligned(fields), "\t"), "}"];
}

/** A field of a struct; `tag` without quotation marks may be empty. */
export interface Field {
  readonly says: readonly string[];
  readonly name: string;
  readonly type: string;
  readonly tag: string;
}

function aligned(fields: readonly Field[]): string[] {
  const blocks: Field[][] = [];
  for (const field of fields) {
    // gofmt aligns the fields between two comments.
    if (field.says.length > 0 || blocks.length === 0) blocks.push([]);
    blocks.at(-1)!.push(field);
  }
  return blocks.flatMap((block) => {
    const nameWidth = Math.max(...block.map(({ name }) => name.length));
    const typeWidth = Math.max(...block.map(({ type }) => type.length));
    return block.flatMap(({ says, name, type, tag }) => [
      ...says,
      tag === ""
        ? `${name.padEnd(nameWidth)} ${type}`
        : `${name.padEnd(nameWidth)} ${type.padEnd(typeWidth)} ${tag}`,
    ]);
  });
}

function fieldOf(record: string, member: Member, isRequest: boolean): Field {
  const { name, kind, isOptional, inner } = member;
  const options = [
    ...kind.is === "digits" ? [",string"] : [],
    ...isRequest && isOptional ? [",omitempty"] : [],
  ];
  const tag = `\`json:"${name}${options.join("")}"\``;
  const type = MEMBER_TYPES[`${record}.${name}`] ??
    (inner === undefined
      ? goType(kind, isOptional, isRequest)
      : `*struct {\n\t\t${memberName(record, inner)} ${
        goType(kind, false, isRequest)
      } \`json:"${inner.name}"\`\n\t}`);
  const says = saysOf(member);
  return { says: says === "" ? [] : goComment(says), name: memberName(record, member), type, tag };
}

function memberName(record: string, { name, kind, inner }: Member): string {
  const isAmount = kind.is === "decimal" && inner === undefined;
  const bare = isAmount ? name.replace(/(?<=.)_(sar|grams)$/, "") : name;
  return MEMBERS[`${record}.${name}`] ?? goName(bare);
}

/** Returns the type of a value; of one that may be missing a pointer, where its zero says something. */
function goType(kind: Kind, isOptional: boolean, isRequest: boolean): string {
  const [type, isZeroMissing] = bareType(kind);
  const isValue = isZeroMissing || isRequest && kind.is !== "record";
  return isOptional && !isValue ? `*${type}` : type;
}

function bareType(kind: Kind): readonly [type: string, isZeroMissing: boolean] {
  switch (kind.is) {
    case "choice":
      return [kind.values.join() === "buy,sell" ? "Side" : "string", true];
    case "text":
      return ["string", true];
    case "time":
      return ["time.Time", false];
    case "boolean":
      return ["bool", false];
    case "integer":
    case "digits":
      return ["int64", false];
    case "figure":
      return ["float64", false];
    case "decimal":
      return [UNITS[kind.unit], false];
    case "list":
      return [`[]${bareType(kind.of)[0]}`, true];
    case "record":
      return [goTypeName(kind.name), false];
  }
}
