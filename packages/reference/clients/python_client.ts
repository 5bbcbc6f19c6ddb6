import type { Parameter } from "../operation.ts";
import type { Call, Member, Model } from "./model.ts";
import { docstring, PYTHON_NAMES, pythonBody, pythonType } from "./python_records.ts";
import { GENERATED, indent } from "./words.ts";

const LONGEST = 90;

/** Makes `client.py`, or `async_client.py` with the same methods for asyncio. */
export function pythonClient({ calls, records }: Model, isAsync: boolean): string {
  const name = isAsync ? "AsyncClient" : "Client";
  const code = calls.flatMap((call) => ["", ...indent(method(call, isAsync), "    ")]);
  const used = (word: string) => code.some((line) => new RegExp(`\\b${word}\\b`).test(line));
  const names = (all: readonly string[]) => all.filter(used).sort().join(", ");
  const resources = records.map((record) => record.name).filter(used).sort();
  return [
    `# ${GENERATED}`,
    `"""The service's API for a partner${isAsync ? ", for asyncio" : ""}."""`,
    "",
    "from __future__ import annotations",
    "",
    "import json",
    `from collections.abc import ${isAsync ? "AsyncIterator" : "Iterator"}`,
    "from decimal import Decimal",
    "from typing import Literal",
    "",
    `from .amounts import ${names(["GRAM_DECIMALS", "SAR_DECIMALS", "format_amount"])}`,
    `from .pages import ${isAsync ? "AsyncPages" : "Pages"}`,
    "from .reserves import PublishedReserve",
    ...split("from .resources import ", "(", resources, ")"),
    isAsync ? "from .async_sender import AsyncSender" : "from .sender import Sender",
    "from .steps import Call, Filters, path_segment, query, write",
    `from .stream import ${isAsync ? "stream_events_async" : "stream_events"}`,
    "from .webhooks import Event, event_of",
    "from .writing import When, json_object",
    "",
    "",
    `class ${name}(${isAsync ? "AsyncSender" : "Sender"}):`,
    ...indent(isAsync ? ASYNC_SAYS : SAYS, "    "),
    ...code,
    "",
    ...indent(isAsync ? ASYNC_FIND_ORDER : FIND_ORDER, "    "),
    "",
  ].join("\n");
}

const COMMON = [
  "",
  "Every method raises SabikaError if the call fails, of the class that its code has, such as",
  "QuoteExpired, and AmountError for an amount that is too precise. Writes take an",
  "`idempotency_key`: if you store it with your record of the trade, the call can be repeated,",
  "also after a crash, without a second effect. By default each call makes a new key. `timeout`",
  "is in seconds, for connecting and for each read or write; `proxy` is a URL, that of HTTPS_PROXY",
  "by default; `transport` replaces the connection with the kit's certificate, also after `reload`;",
  "`clock` returns Unix time; `sleep` takes seconds.",
  '"""',
];

const SAYS = [
  '"""The service\'s API for a partner. Threads may share a client; close it at the end.',
  "",
  '    with Client(open_kit(".sabika/partners/demo")) as client:',
  '        quote = client.quote("buy", Decimal("1.5"))',
  "        order = client.order(quote.id, idempotency_key=trade_id)",
  ...COMMON,
];

const ASYNC_SAYS = [
  '"""The service\'s API for a partner, for asyncio. Tasks may share a client; close it at the end.',
  "",
  '    async with AsyncClient(open_kit(".sabika/partners/demo")) as client:',
  '        quote = await client.quote("buy", Decimal("1.5"))',
  "        async for order in client.list_orders():",
  ...COMMON,
];

const FIND_SAYS =
  '    """Returns the order that a key has made, or None; for use when an outcome is unknown."""';

const FIND_ORDER = [
  "def find_order(self, idempotency_key: str) -> Order | None:",
  FIND_SAYS,
  "    return next(iter(self.list_orders(idempotency_key=idempotency_key)), None)",
];

const ASYNC_FIND_ORDER = [
  "async def find_order(self, idempotency_key: str) -> Order | None:",
  FIND_SAYS,
  "    async for order in self.list_orders(idempotency_key=idempotency_key):",
  "        return order",
  "    return None",
];

function method(call: Call, isAsync: boolean): string[] {
  if (call.returns === "stream") return stream(call, isAsync);
  const isList = call.returns === "list";
  const { positional, named } = parametersOf(call);
  const all = ["self", ...positional, ...named.length > 0 ? ["*", ...named] : []];
  const define = isAsync && !isList ? "async def" : "def";
  const lines = split(`${define} ${call.name}`, "(", all, `) -> ${returned(call, isAsync)}:`);
  const isWaited = isAsync && !isList;
  return [
    ...lines,
    ...indent([
      ...docstring(call.description, notesOn(call)),
      ...body(call, isAsync, isWaited ? "await " : ""),
    ], "    "),
  ];
}

function notesOn({ parameters }: Call): string[] {
  return parameters.map(({ name, description }) => {
    const [first = "", ...rest] = description;
    return `${PYTHON_NAMES[name] ?? name}: ${first.toLowerCase()}${rest.join("")}`;
  });
}

/** Writes a bracket with items, each on a line of its own where one line would be too long. */
function split(before: string, open: string, items: readonly string[], close: string): string[] {
  const one = `${before}${open}${items.join(", ")}${close}`;
  if (one.length <= LONGEST && !items.some((item) => item.includes("\n"))) {
    return [before.startsWith("from ") ? `${before}${items.join(", ")}` : one];
  }
  return [before + open, ...items.map((item) => item === "*" ? "    *," : `    ${item},`), close];
}

function stream(call: Call, isAsync: boolean): string[] {
  return [
    `def stream_events(self, *, after_sequence: int) -> ${
      isAsync ? "AsyncIterator" : "Iterator"
    }[Event]:`,
    ...indent([
      ...docstring(call.description, ["after_sequence: the number; 0 for all."]),
      `return ${isAsync ? "stream_events_async" : "stream_events"}(self, after_sequence)`,
    ], "    "),
  ];
}

function returned({ returns, answer }: Call, isAsync: boolean): string {
  switch (returns) {
    case "list":
      return `${isAsync ? "Async" : ""}Pages[${answer}]`;
    case "text":
      return "str";
    case "bytes":
      return "bytes";
    case "receipt":
      return "str | None";
    case "reserve":
      return "PublishedReserve";
    case "event":
      return "Event";
    default:
      return answer;
  }
}

function parametersOf(call: Call): { positional: string[]; named: string[] } {
  const positional: string[] = [];
  const named: string[] = [];
  if (call.id !== undefined) positional.push(`${call.id}: ${call.id === "number" ? "int" : "str"}`);
  for (const member of call.request ?? []) {
    const type = pythonType(member.kind, true);
    if (member.isOptional) named.push(`${member.name}: ${type} | None = None`);
    else positional.push(`${member.name}: ${type}`);
  }
  for (const parameter of call.parameters) {
    const { schema: { default: value } } = parameter;
    const name = PYTHON_NAMES[parameter.name] ?? parameter.name;
    if (typeof value === "string") positional.push(`${name}: str = "${value}"`);
    else named.push(`${name}: ${queryType(parameter)} | None = None`);
  }
  if (call.returns === "probe") positional.push('body: str = "{}"');
  else if (call.needsKey) named.push("idempotency_key: str | None = None");
  return { positional, named };
}

function queryType({ schema }: Parameter): string {
  if (schema.type === "integer") return "int";
  return schema.format === "date-time" ? "When" : "str";
}

function body(call: Call, isAsync: boolean, wait: string): string[] {
  const path = call.id === undefined
    ? `"${call.path}"`
    : `f"${call.path.replace("{id}", `{path_segment(${call.id})}`)}"`;
  const queries = call.parameters.map(({ name }) => `"${name}": ${PYTHON_NAMES[name] ?? name}`);
  const read = call.answer === "Event" ? "event_of" : `${call.answer}.from_json`;
  const filters = queries.length === 0 ? [] : split("filters: Filters = ", "{", queries, "}");
  if (call.returns === "list") {
    const pages = isAsync ? "AsyncPages" : "Pages";
    return [...filters, ...split(`return ${pages}`, "(", ["self", path, "filters", read], ")")];
  }
  if (call.verb === "POST") return post(call, path, read, wait);
  const options = [
    ...call.accept === undefined ? [] : [`accept="${call.accept}"`],
    ...call.needsToken ? [] : ["token=False"],
    ...call.alsoStatus === undefined ? [] : [`also_status=${call.alsoStatus}`],
  ];
  const target = queries.length === 0 ? path : `${path} + query(filters)`;
  const made = `Call("GET", ${[target, ...options].join(", ")})`;
  const [how, reader] = READERS[call.returns] ?? ["send", read];
  return [...filters, ...split(`return ${wait}self.${how}`, "(", [made, reader], ")")];
}

/** How answers are read that are not records. */
const READERS: Partial<Record<Call["returns"], readonly [how: string, read: string]>> = {
  event: ["send", "event_of"],
  text: ["exchange", "lambda answer: answer.text"],
  bytes: ["exchange", "lambda answer: answer.content"],
  reserve: ["exchange", "lambda answer: PublishedReserve.read(answer.text)"],
  receipt: ["exchange", "lambda answer: None if answer.status_code == 202 else answer.text"],
};

function post(call: Call, path: string, read: string, wait: string): string[] {
  const signed = call.isSigned ? ", signed=True" : "";
  if (call.returns === "probe") {
    return split(
      `return ${wait}self.send`,
      "(",
      [`write(${path}, body, None${signed})`, read],
      ")",
    );
  }
  const lines = pythonBody(call.request ?? [] as readonly Member[], "");
  const text = lines.length === 1 ? lines[0]! : "body";
  const isLong = path.length > 50;
  const target = isLong ? "path" : path;
  return [
    ...isLong ? [`path = ${path}`] : [],
    ...lines.length === 1 ? [] : [`body = ${lines[0]}`, ...lines.slice(1)],
    ...split(
      `return ${wait}self.send`,
      "(",
      [`write(${target}, ${text}, idempotency_key${signed})`, read],
      ")",
    ),
  ];
}
