import type { Kind, Member, Model, RecordType } from "./model.ts";
import { camel, GENERATED, indent, pascal, saysOf, wrap } from "./words.ts";

/** Records that stand in another one in Java, under a name of their own there. */
const NESTED: Readonly<Record<string, readonly [outer: string, name: string]>> = {
  PriceSpan: ["PriceHistory", "Span"],
  LastCount: ["Vault", "LastCount"],
  CountInspection: ["Vault", "Inspection"],
};

/** The names of members in Java, where they do not follow from those on the wire. */
const MEMBERS: Readonly<Record<string, string>> = {
  "Price.buy_price_sar": "buySar",
  "Price.sell_price_sar": "sellSar",
  "Price.mid_price_sar": "midSar",
  "CountInspection.key": "keyId",
  "Vault.fine_ug": "fineMicrograms",
};

/** Members that are an `int`, where others of their kind are not. */
const INTS: ReadonlySet<string> = new Set(["Vault.bars", "PriceSpan.count"]);

const DECIMALS = { sar: "SAR", grams: "GRAM", price: "PRICE", rate: "RATE", amount: "GRAM" };

/** The imports that generated files may need. */
const IMPORTS = [
  "java.math.BigDecimal",
  "java.math.BigInteger",
  "java.time.Instant",
  "java.util.List",
  "java.util.Map",
  "java.util.Optional",
  "java.util.concurrent.CompletableFuture",
  "java.util.concurrent.Executor",
  "java.util.function.Supplier",
];

/** Makes a file of the package from its code, with the imports that it needs. */
export function javaFile(code: readonly string[]): string {
  const text = code.join("\n");
  const imports = IMPORTS.filter((name) =>
    new RegExp(`\\b${name.split(".").at(-1)}\\b`).test(text)
  );
  return [
    `// ${GENERATED}`,
    "package sabika.client;",
    "",
    ...imports.map((name) => `import ${name};`),
    ...imports.length > 0 ? [""] : [],
    text,
    "",
  ].join("\n");
}

/** Writes a comment for javadoc, with what it says of parameters. */
export function javadoc(says: string, parameters: readonly (readonly [string, string])[] = []) {
  const lines = wrap(escaped(says), 96);
  const notes = parameters.flatMap(([name, note]) => {
    const [first = "", ...rest] = note;
    const lower = /^[A-Z]{2}/.test(note) ? note : first.toLowerCase() + rest.join("");
    const [begin, ...more] = wrap(`@param ${name} ${escaped(lower.replace(/\.$/, ""))}`, 94);
    return [begin!, ...indent(more, "    ")];
  });
  if (lines.length === 1 && notes.length === 0) return [`/** ${lines[0]} */`];
  return [
    "/**",
    ...lines.map((line) => ` * ${line}`),
    ...notes.length > 0 ? [" *", ...notes.map((line) => ` * ${line}`)] : [],
    " */",
  ];
}

function escaped(text: string): string {
  return text.replace(/`([^`]*)`/g, "{@code $1}").replaceAll("&", "&amp;");
}

/** Returns the name of a record's type. */
export function javaTypeName(record: string): string {
  const nested = NESTED[record];
  return nested === undefined ? record : nested.join(".");
}

/** Returns the type of a value. */
export function javaType(kind: Kind, isOptional: boolean): string {
  switch (kind.is) {
    case "choice":
      return kind.values.join() === "buy,sell" ? "Side" : "String";
    case "text":
      return "String";
    case "time":
      return "Instant";
    case "boolean":
      return isOptional ? "Boolean" : "boolean";
    case "integer":
      return isOptional ? "Long" : "long";
    case "digits":
      return "BigInteger";
    case "decimal":
    case "figure":
      return "BigDecimal";
    case "list":
      return `List<${javaType(kind.of, true)}>`;
    case "record":
      return javaTypeName(kind.name);
  }
}

/** Makes the files of all records, by the names of their classes. */
export function javaRecords({ records }: Model): readonly (readonly [string, string])[] {
  return records.filter(({ name }) => NESTED[name] === undefined).map((record) => {
    const inner = records.filter(({ name }) => NESTED[name]?.[0] === record.name);
    return [record.name, javaFile(recordCode(record, inner))] as const;
  });
}

function recordCode(record: RecordType, inner: readonly RecordType[]): string[] {
  const { name, says, members, isRequest } = record;
  const type = NESTED[name]?.[1] ?? name;
  const components = members.map((member) => `${typeOf(record, member)} ${javaName(name, member)}`);
  return [
    ...javadoc(
      says,
      members.map((member) => {
        const note = member.isOptional
          ? `${saysOf(member)} Null if there is none.`
          : saysOf(member);
        return [javaName(name, member), note.trim() || "see there"] as const;
      }).filter(([, note]) => note !== "see there"),
    ),
    `public record ${type}(`,
    ...components.map((one, at) => `    ${one}${at < components.length - 1 ? "," : ") {"}`),
    ...inner.flatMap((other) => [...indent(recordCode(other, []), "  "), ""]),
    ...indent(isRequest ? writer(record) : reader(record, type), "  "),
    "}",
  ];
}

function javaName(record: string, { name, inner }: Member): string {
  return MEMBERS[`${record}.${name}`] ??
    camel(inner === undefined ? name : `${name}_${inner.name}`);
}

function typeOf({ name }: RecordType, member: Member): string {
  return INTS.has(`${name}.${member.name}`) ? "int" : javaType(member.kind, member.isOptional);
}

function reader(record: RecordType, type: string): string[] {
  const values = record.members.map((member) => {
    const { name, kind, isOptional, inner } = member;
    if (INTS.has(`${record.name}.${name}`)) return `members.number("${name}").intValueExact()`;
    if (inner === undefined) return readerOf("members", name, kind, isOptional);
    return `members.has("${name}") ? ${
      readerOf(`members.inner("${name}")`, inner.name, kind, false)
    } : null`;
  });
  return [
    `static ${type} read(Members members) {`,
    `  return new ${type}(`,
    ...values.map((value, at) => `      ${value}${at < values.length - 1 ? "," : ");"}`),
    "}",
  ];
}

function readerOf(members: string, name: string, kind: Kind, isOptional: boolean): string {
  const orNull = isOptional ? "OrNull" : "";
  switch (kind.is) {
    case "choice":
      return kind.values.join() === "buy,sell"
        ? `Side.of(${members}.text("${name}"))`
        : `${members}.text${orNull}("${name}")`;
    case "text":
    case "time":
      return `${members}.${kind.is}${orNull}("${name}")`;
    case "boolean":
      return `${members}.bool("${name}")`;
    case "integer":
      return `${members}.whole${orNull}("${name}")`;
    case "digits":
      return `new BigInteger(${members}.text("${name}"))`;
    case "decimal":
    case "figure":
      return `${members}.number${orNull}("${name}")`;
    case "list":
      return kind.of.is === "record"
        ? `${members}.list("${name}").stream().map(${javaTypeName(kind.of.name)}::read).toList()`
        : `${members}.texts("${name}")`;
    case "record": {
      const read = `${javaTypeName(kind.name)}::read`;
      return isOptional
        ? `${members}.innerOrNull("${name}", ${read})`
        : `${members}.inner("${name}", ${read})`;
    }
  }
}

function writer({ name, members }: RecordType): string[] {
  return [
    "Map<String, Object> json() {",
    ...indent(
      javaCall("return Json.object", javaBody(members, (member) => javaName(name, member)), ";"),
      "  ",
    ),
    "}",
  ];
}

/** Writes a call; each argument stands on a line of its own where one line would be too long. */
export function javaCall(before: string, values: readonly string[], after: string): string[] {
  const one = `${before}(${values.join(", ")})${after}`;
  if (one.length <= 90) return [one];
  return [
    `${before}(`,
    ...values.map((value, at) => `    ${value}${at < values.length - 1 ? "," : `)${after}`}`),
  ];
}

/** Writes the names and values of the JSON object of a request. */
export function javaBody(members: readonly Member[], nameOf: (member: Member) => string): string[] {
  return members.map((member) => `"${member.name}", ${written(member, nameOf(member))}`);
}

function written({ kind, isOptional }: Member, value: string): string {
  const bare = kind.is === "decimal"
    ? `Amounts.checked(${value}, Amounts.${DECIMALS[kind.unit]}_DECIMALS)`
    : kind.is === "record"
    ? `${value}.json()`
    : kind.is === "list" && kind.of.is === "record"
    ? `${value}.stream().map(${kind.of.name}::json).toList()`
    : kind.is === "time"
    ? `Json.time(${value})`
    : javaType(kind, false) === "Side"
    ? `${value}.wire()`
    : value;
  return isOptional && bare !== value ? `${value} == null ? null : ${bare}` : bare;
}

/** Makes `Refused.java`: an exception for each error code. */
export function javaErrors({ errors }: Model): string {
  return javaFile([
    "/** An exception for each error code: {@code catch (Refused.QuoteExpired expired)}. */",
    "public final class Refused {",
    "  private Refused() {}",
    "",
    "  static SabikaException of(SabikaException.Details details) {",
    "    return switch (details.code()) {",
    ...errors.map(({ code }) => `      case "${code}" -> new ${pascal(code)}(details);`),
    "      default -> new SabikaException(details);",
    "    };",
    "  }",
    ...errors.flatMap(({ code, title }) => [
      "",
      ...indent(javadoc(`${title} (\`${code}\`).`), "  "),
      `  public static final class ${pascal(code)} extends SabikaException {`,
      "    private static final long serialVersionUID = 1;",
      "",
      `    private ${pascal(code)}(Details details) {`,
      "      super(details);",
      "    }",
      "  }",
    ]),
    "}",
  ]);
}

/** Makes `EventObjects.java`, which reads the objects of events. */
export function javaEvents({ events }: Model): string {
  return javaFile([
    "/** Reads the objects of events by their types. */",
    "final class EventObjects {",
    "  private EventObjects() {}",
    "",
    "  /** Returns the resource that an event of this type is about; null if the type has none. */",
    "  static Object read(String type, Map<?, ?> object) {",
    "    return switch (type) {",
    ...events.map(([type, record]) =>
      `      case "${type}" -> ${javaTypeName(record)}.read(Members.of(object));`
    ),
    "      default -> null;",
    "    };",
    "  }",
    "}",
  ]);
}
