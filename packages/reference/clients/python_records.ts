import type { Kind, Member, Model, RecordType } from "./model.ts";
import { GENERATED, indent, pascal, saysOf, wrap } from "./words.ts";

const WIDTH = 96;

/** The names under which Python's clients have the arguments and members whose own are Python's. */
export const PYTHON_NAMES: Readonly<{ [name: string]: string }> = { from: "start", to: "end" };

/** Makes the lines of a docstring: a text, and notes that begin lines of their own. */
export function docstring(text: string, notes: readonly string[] = []): string[] {
  if (text.length <= WIDTH - 10 && notes.length === 0) return [`"""${text}"""`];
  const [first, ...rest] = wrap(text, WIDTH - 7);
  const noted = notes.flatMap((note) => wrap(note, WIDTH - 7));
  return [`"""${first}`, ...rest, ...noted.length > 0 ? ["", ...noted] : [], `"""`];
}

/** Returns the type of a value in an answer, or in a request. */
export function pythonType(kind: Kind, isRequest: boolean): string {
  switch (kind.is) {
    case "choice":
      // A newer service may answer with more of them.
      return isRequest ? `Literal[${kind.values.map((one) => `"${one}"`).join(", ")}]` : "str";
    case "time":
      return isRequest ? "When" : "str";
    case "list":
      return `${isRequest ? "Sequence" : "tuple"}[${pythonType(kind.of, isRequest)}${
        isRequest ? "" : ", ..."
      }]`;
    case "record":
      return kind.name;
    case "text":
      return "str";
    case "boolean":
      return "bool";
    case "integer":
    case "digits":
      return "int";
    case "decimal":
    case "figure":
      return "Decimal";
  }
}

const DECIMALS = {
  sar: "SAR_DECIMALS",
  grams: "GRAM_DECIMALS",
  price: "PRICE_DECIMALS",
  rate: "RATE_DECIMALS",
  amount: "GRAM_DECIMALS",
} as const;

/** Writes the code that makes the JSON text of a value. */
function pythonWriter(kind: Kind, value: string): string {
  switch (kind.is) {
    case "decimal":
      return `format_amount(${value}, ${DECIMALS[kind.unit]})`;
    case "integer":
      return `str(${value})`;
    case "time":
      return `json.dumps(format_time(${value}))`;
    case "record":
      return `${value}.to_json()`;
    case "list":
      return `json_array(${pythonWriter(kind.of, "item")} for item in ${value})`;
    case "choice":
    case "text":
      return `json.dumps(${value})`;
    default:
      throw new TypeError(`no request has a ${kind.is}`);
  }
}

/** Writes the code that makes the JSON text of an object. */
export function pythonBody(members: readonly Member[], prefix: string): string[] {
  if (members.length === 0) return ['"{}"'];
  return [
    "json_object(",
    ...members.map(({ name, kind, isOptional }) => {
      const value = prefix + name;
      const written = pythonWriter(kind, value);
      return `    ${name}=${isOptional ? `None if ${value} is None else ${written}` : written},`;
    }),
    ")",
  ];
}

/** Makes `resources.py`: a class for each record. */
export function pythonResources({ records, events }: Model): string {
  return [
    `# ${GENERATED}`,
    '"""The resources of answers and requests. Amounts are Decimal, times in answers RFC 3339 text."""',
    "",
    "from __future__ import annotations",
    "",
    "import json",
    "from collections.abc import Callable, Sequence",
    "from dataclasses import dataclass",
    "from decimal import Decimal",
    "from typing import Any, Literal",
    "",
    "from .amounts import PRICE_DECIMALS, SAR_DECIMALS, format_amount",
    "from .reading import boolean, decimal, digits, each, inner, integer, maybe, members, text",
    "from .writing import When, format_time, json_array, json_object",
    "",
    "__all__ = [",
    ...records.map(({ name }) => `    "${name}",`).sort(),
    "]",
    ...records.flatMap((record) => ["", "", ...resource(record)]),
    "",
    "",
    "#: How the object of an event is read, by the event's type.",
    "EVENT_OBJECTS: dict[str, Callable[[Any], Any]] = {",
    ...events.map(([type, record]) => `    "${type}": ${record}.from_json,`),
    "}",
    "",
  ].join("\n");
}

function resource({ name, says, members, isRequest }: RecordType): string[] {
  const required = members.filter(({ isOptional }) => !isOptional);
  const fields = isRequest
    ? [...required, ...members.filter(({ isOptional }) => isOptional)]
    : members;
  return [
    "@dataclass(frozen=True)",
    `class ${name}:`,
    ...indent(docstring(says), "    "),
    "",
    ...fields.flatMap((member) => indent(field(member, isRequest), "    ")),
    "",
    ...indent(isRequest ? writer(fields) : reader(name, members), "    "),
  ];
}

function field(member: Member, isRequest: boolean): string[] {
  const type = pythonType(member.kind, isRequest);
  const optional = member.isOptional ? ` | None${isRequest ? " = None" : ""}` : "";
  return [
    `${fieldName(member)}: ${type}${optional}`,
    ...member.says === undefined ? [] : docstring(saysOf(member)),
  ];
}

function fieldName({ name, inner }: Member): string {
  const full = inner === undefined ? name : `${name}_${inner.name}`;
  return PYTHON_NAMES[full] ?? full;
}

function reader(name: string, members: readonly Member[]): string[] {
  const lines = members.map((member) => {
    const { name, inner, isOptional } = member;
    const read = inner === undefined
      ? readerOf(member.kind)
      : `inner("${inner.name}", ${readerOf(member.kind)})`;
    const value = isOptional ? `maybe(${read}, own.get("${name}"))` : `${read}(own["${name}"])`;
    return `    ${fieldName(member)}=${value},`;
  });
  return [
    "@classmethod",
    `def from_json(cls, json: Any) -> ${name}:`,
    '    """Reads its JSON. Raises ValueError or KeyError if that is something else."""',
    "    own = members(json)",
    "    return cls(",
    ...indent(lines, "    "),
    "    )",
  ];
}

function readerOf(kind: Kind): string {
  switch (kind.is) {
    case "list":
      return `each(${readerOf(kind.of)})`;
    case "record":
      return `${kind.name}.from_json`;
    case "figure":
      return "decimal";
    case "choice":
    case "time":
      return "text";
    default:
      return kind.is;
  }
}

function writer(fields: readonly Member[]): string[] {
  return [
    "def to_json(self) -> str:",
    '    """Writes its JSON. Raises AmountError for an amount that is too precise."""',
    ...returned(pythonBody(fields, "self.")),
  ];
}

/** Writes the code that returns an expression of several lines. */
function returned([first, ...rest]: readonly string[]): string[] {
  return indent([`return ${first}`, ...rest], "    ");
}

/** Makes `error_classes.py`: a class for each error code. */
export function pythonErrors({ errors }: Model): string {
  return [
    `# ${GENERATED}`,
    '"""A class for each error code: `except QuoteExpired` rather than a look at `error.code`."""',
    "",
    "from __future__ import annotations",
    "",
    "from .errors import SabikaError",
    "",
    "__all__ = [",
    ...errors.map(({ code }) => `    "${pascal(code)}",`).sort(),
    "]",
    ...errors.flatMap(({ code, title }) => [
      "",
      "",
      `class ${pascal(code)}(SabikaError, by_code="${code}"):`,
      ...indent(docstring(`${title} (\`${code}\`).`), "    "),
    ]),
    "",
  ].join("\n");
}
