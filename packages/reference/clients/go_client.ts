import type { Parameter } from "../operation.ts";
import { goArgument, goComment, goName, goTypeName } from "./go_names.ts";
import type { Call, Model } from "./model.ts";
import { GENERATED, indent } from "./words.ts";

/** Makes `operations.go`: the client's methods and the filters of its lists. */
export function goClient({ calls }: Model): string {
  const queries = new Map(
    calls.flatMap(({ query, parameters }) =>
      query === undefined ? [] : [[query, parameters] as const]
    ),
  );
  return [
    `// ${GENERATED}`,
    "",
    "package sabika",
    "",
    "import (",
    '\t"context"',
    '\t"iter"',
    '\t"net/url"',
    '\t"strconv"',
    '\t"time"',
    ")",
    ...[...queries].flatMap(([name, parameters]) => ["", ...queryType(name, parameters)]),
    // In Go a request by gold and one by money are one type, and so one method.
    ...calls.filter(({ name }) => name !== "quote_for_money")
      .flatMap((call) => ["", ...method(call)]),
    "",
  ].join("\n");
}

function queryType(name: string, parameters: readonly Parameter[]): string[] {
  return [
    `// ${name} says what is asked for; a field that is zero says nothing.`,
    `type ${name} struct {`,
    ...indent(
      parameters.flatMap((parameter) => [
        ...goComment(parameter.description),
        `${goName(parameter.name)} ${queryFieldType(parameter)}`,
      ]),
      "\t",
    ),
    "}",
    "",
    `func (q ${name}) values() url.Values {`,
    "\tvalues := url.Values{}",
    ...parameters.map((parameter) => {
      const field = `q.${goName(parameter.name)}`;
      return `\tset(values, "${parameter.name}", ${
        queryFieldType(parameter) === "string"
          ? field
          : `${SETTERS[queryFieldType(parameter)]}(${field})`
      })`;
    }),
    "\treturn values",
    "}",
  ];
}

const SETTERS: Readonly<Record<string, string>> = {
  "time.Time": "timeText",
  "int": "countText",
  "*int64": "sequenceText",
};

function queryFieldType({ name, schema }: Parameter): string {
  if (schema.format === "date-time") return "time.Time";
  // For a sequence number zero is a value.
  if (schema.type === "integer") return name === "limit" ? "int" : "*int64";
  return "string";
}

function method(call: Call): string[] {
  const name = goName(call.name);
  const says = goComment(`${name} calls ${call.verb} ${call.path}. ${call.description}`);
  const { parameters, result, lines } = signatureOf(call);
  return [
    ...says,
    `func (c *Client) ${name}(${parameters.join(", ")}) ${result} {`,
    ...indent([...pathOf(call), ...lines], "\t"),
    "}",
  ];
}

interface Signature {
  readonly parameters: readonly string[];
  readonly result: string;
  readonly lines: readonly string[];
}

function signatureOf(call: Call): Signature {
  const { id, query, returns } = call;
  const ids = id === undefined ? [] : [`${goArgument(id)} ${id === "number" ? "int64" : "string"}`];
  const path = id === undefined ? `"${call.path}"` : "path";
  const answer = returns === "event" || call.answer === "Event" ? "Event" : goTypeName(call.answer);
  if (returns === "stream") {
    return {
      parameters: ["ctx context.Context", "afterSequence int64"],
      result: "iter.Seq2[Event, error]",
      lines: ["return c.streamEvents(ctx, afterSequence)"],
    };
  }
  if (returns === "list") {
    return {
      parameters: [...ids, `filter ${query}`],
      result: `*Pages[${answer}]`,
      lines: [`return &Pages[${answer}]{client: c, path: ${path}, values: filter.values()}`],
    };
  }
  if (call.verb === "POST") return writing(call, ids, path, answer);
  const context = ["ctx context.Context", ...ids, ...query === undefined ? [] : [`query ${query}`]];
  const fields = [
    `path: ${query === undefined ? path : `withQuery(${path}, query.values())`}`,
    ...call.accept === undefined ? [] : [`accept: "${call.accept}"`],
    ...call.needsToken ? ["token: true"] : [],
    ...call.alsoStatus === undefined || returns !== "record"
      ? []
      : [`alsoStatus: ${call.alsoStatus}`],
  ];
  const made = `call{method: "GET", ${fields.join(", ")}}`;
  if (returns === "record" || returns === "event" || returns === "reserve") {
    const type = returns === "reserve" ? "PublishedReserve" : answer;
    return {
      parameters: context,
      result: `(answer ${type}, err error)`,
      lines: [`err = c.send(ctx, ${made}, &answer)`, "return answer, err"],
    };
  }
  // What is kept is given byte for byte; texts that are no JSON are strings.
  const isString = returns === "receipt" || call.name === "statement_csv";
  return {
    parameters: context,
    result: isString ? "(string, error)" : "([]byte, error)",
    lines: [`return c.${isString ? "text" : "bytes"}(ctx, ${made})`],
  };
}

function writing(call: Call, ids: readonly string[], path: string, answer: string): Signature {
  const result = `(answer ${answer}, err error)`;
  const send = (request: string, key: string) => [
    `err = c.write(ctx, ${path}, ${request}, ${key}, ${call.isSigned}, &answer)`,
    "return answer, err",
  ];
  if (call.returns === "probe") {
    return {
      parameters: ["ctx context.Context", "body any"],
      result,
      lines: send("body", '""'),
    };
  }
  if (call.body !== undefined) {
    return {
      parameters: ["ctx context.Context", ...ids, `request ${goTypeName(call.body.name)}`],
      result,
      lines: send("request", "request.IdempotencyKey"),
    };
  }
  const texts = [...ids.map((argument) => argument.replace(" string", "")), "idempotencyKey"];
  return {
    parameters: ["ctx context.Context", `${texts.join(", ")} string`],
    result,
    lines: send("struct{}{}", "idempotencyKey"),
  };
}

function pathOf({ path, id }: Call): string[] {
  if (id === undefined) return [];
  const [before, after] = path.split("{id}") as [string, string];
  const escaped = id === "number"
    ? "strconv.FormatInt(number, 10)"
    : `url.PathEscape(${goArgument(id)})`;
  return [`path := "${before}" + ${escaped}${after === "" ? "" : ` + "${after}"`}`];
}
