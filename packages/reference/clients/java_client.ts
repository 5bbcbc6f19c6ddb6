import type { Parameter } from "../operation.ts";
import { javaBody, javaCall, javadoc, javaFile, javaType, javaTypeName } from "./java_records.ts";
import type { Call, Member, Model } from "./model.ts";
import { camel, indent, pascal } from "./words.ts";

/** A method of the client in Java; a request of alternatives has one for each. */
interface JavaMethod {
  readonly name: string;
  readonly says: string;
  readonly notes: readonly (readonly [string, string])[];
  readonly parameters: readonly string[];
  readonly type: string;
  readonly isList: boolean;
  readonly lines: readonly string[];
}

/** Makes `Operations.java`, `AsyncClient.java` and the filters of lists, by their classes. */
export function javaClient({ calls }: Model): readonly (readonly [string, string])[] {
  const methods = calls.flatMap(methodsOf);
  const filters = new Map(
    calls.filter(({ returns }) => returns === "list")
      .map(({ query, parameters }) => [query!, parameters] as const),
  );
  return [
    ["Operations", javaFile(operations(methods))],
    ["AsyncClient", javaFile(asyncClient(methods.filter(({ type }) => type !== "EventStream")))],
    ...[...filters].map(([name, parameters]) =>
      [name, javaFile(filter(name, parameters))] as const
    ),
  ];
}

function operations(methods: readonly JavaMethod[]): string[] {
  return [
    "/** The operations of the API, which {@link Client} carries out. */",
    "public abstract sealed class Operations permits Client {",
    "  abstract Sender sender();",
    ...methods.flatMap(({ name, says, notes, parameters, type, lines }) => [
      "",
      ...indent(javadoc(says, notes), "  "),
      ...indent(javaCall(`public ${type} ${name}`, parameters, " {"), "  "),
      ...indent(lines, "    "),
      "  }",
    ]),
    "}",
  ];
}

function asyncClient(methods: readonly JavaMethod[]): string[] {
  return [
    ...javadoc(
      "The methods of a {@link Client} as futures, which an executor carries out: a pool of " +
        "threads, or virtual threads where there are some. A future that fails has the " +
        "SabikaException as its cause. Lists are fetched page by page.",
    ),
    "public final class AsyncClient {",
    "  private final Client client;",
    "  private final Executor executor;",
    "",
    "  public AsyncClient(Client client, Executor executor) {",
    "    this.client = client;",
    "    this.executor = executor;",
    "  }",
    "",
    "  private <T> CompletableFuture<T> later(Supplier<T> call) {",
    "    return CompletableFuture.supplyAsync(call, executor);",
    "  }",
    ...methods.flatMap(({ name, parameters, type, isList }) => {
      const result = isList ? type.replace("Pages", "Page") : type;
      const call = `client.${name}(${parameters.map((one) => one.split(" ").at(-1)).join(", ")})`;
      const types = parameters.map((one) => one.slice(0, one.lastIndexOf(" ")));
      return [
        "",
        `  /** As {@link Client#${name}(${types.join(", ")})}${isList ? ", a page of it" : ""}. */`,
        ...indent(javaCall(`public CompletableFuture<${result}> ${name}`, parameters, " {"), "  "),
        `    return later(() -> ${call}${isList ? ".page()" : ""});`,
        "  }",
      ];
    }),
    "}",
  ];
}

function methodsOf(call: Call): JavaMethod[] {
  if (!call.isChoice) return [methodOf(call, call.request ?? [])];
  return call.request!.map((member) => ({
    ...methodOf(call, [{ ...member, isOptional: false }]),
    says: member.says ?? call.description,
  }));
}

function methodOf(call: Call, request: readonly Member[]): JavaMethod {
  const { id, returns } = call;
  const ids = id === undefined ? [] : [`${id === "number" ? "long" : "String"} ${camel(id)}`];
  const isList = returns === "list";
  const type = typeOf(call);
  const common = { name: camel(call.name), says: call.description, type, isList };
  const path = pathOf(call);
  if (returns === "stream") {
    return {
      ...common,
      notes: [["afterSequence", "the number; 0 for all"]],
      parameters: ["long afterSequence"],
      lines: ["return new EventStream(sender(), afterSequence);"],
    };
  }
  if (isList) {
    return {
      ...common,
      notes: [],
      parameters: [...ids, `${call.query} filter`],
      lines: javaCall(
        "return new Pages<>",
        ["sender()", path, "filter.query()", readerOf(call)],
        ";",
      ),
    };
  }
  if (call.verb === "POST") {
    return {
      ...common,
      notes: [
        ...notesOn(request),
        ...returns === "probe" ? [] : [["idempotencyKey", KEY] as const],
      ],
      parameters: [
        ...ids,
        ...request.map(({ name, kind, isOptional }) =>
          `${javaType(kind, isOptional)} ${camel(name)}`
        ),
        ...returns === "probe" ? ["String body"] : ["String idempotencyKey"],
      ],
      lines: posting(call, request, path),
    };
  }
  const queries = call.parameters.map((parameter) =>
    `${queryType(parameter)} ${camel(parameter.name)}`
  );
  const query = queries.length === 0 ? [] : javaCall(
    "String query = Query.of",
    call.parameters.map(({ name }) => `"${name}", ${camel(name)}`),
    ";",
  );
  const target = queries.length === 0 ? path : `${path} + query`;
  const accept = call.accept === undefined ? "" : `, "${call.accept}"`;
  const get = call.needsToken ? "get" : "open";
  return {
    ...common,
    notes: call.parameters.map(({ name, description }) => [camel(name), description] as const),
    parameters: [...ids, ...queries],
    lines: [
      ...query,
      ...sending(`Call.${get}(${target}${accept})`, (made) => readingOf(call, made)),
    ],
  };
}

const KEY = "your name for this write; null for a new one";

function notesOn(members: readonly Member[]): (readonly [string, string])[] {
  return members.map(({ name, says = "", isOptional }) =>
    [camel(name), isOptional ? `${says} Null for none.` : says] as const
  );
}

function posting(call: Call, request: readonly Member[], path: string): string[] {
  const { isSigned, returns } = call;
  const read = readerOf(call);
  if (returns === "probe") {
    return sending(
      `Call.write(${path}, body, ${isSigned}, null)`,
      (made) => `send(${made}, ${read})`,
    );
  }
  const body = request.length === 0 ? ['String body = "{}";'] : javaCall(
    "String body = Json.write(Json.object",
    javaBody(request, ({ name }) => camel(name)),
    ");",
  );
  return [
    ...body,
    ...sending(
      `Call.write(${path}, body, ${isSigned}, idempotencyKey)`,
      (made) => `send(${made}, ${read})`,
    ),
  ];
}

/** Writes the sending of a call, which stands on a line of its own where one would be too long. */
function sending(made: string, send: (made: string) => string): string[] {
  const one = `return sender().${send(made)};`;
  if (one.length <= 90) return [one];
  const isShort = made.length <= 80;
  return [
    ...isShort ? [`Call call = ${made};`] : ["Call call =", `    ${made};`],
    `return sender().${send("call")};`,
  ];
}

function readerOf({ answer }: Call): string {
  return answer === "Event" ? "Event::read" : `${javaTypeName(answer)}::read`;
}

function readingOf(call: Call, made: string): string {
  switch (call.returns) {
    case "bytes":
      return `exchange(${made}, answer -> answer.body())`;
    case "text":
      return `exchange(${made}, Sender::textOf)`;
    case "receipt":
      return `exchange(${made}, Sender::textOrNone)`;
    case "reserve":
      return `exchange(${made}, answer -> PublishedReserve.read(Sender.textOf(answer)))`;
    case "event":
      return `send(${made}, Event::read)`;
    default:
      return `send(${made}, ${readerOf(call)})`;
  }
}

function typeOf({ returns, answer }: Call): string {
  switch (returns) {
    case "list":
      return `Pages<${javaTypeName(answer)}>`;
    case "bytes":
      return "byte[]";
    case "text":
      return "String";
    case "receipt":
      return "Optional<String>";
    case "reserve":
      return "PublishedReserve";
    case "event":
      return "Event";
    case "stream":
      return "EventStream";
    default:
      return javaTypeName(answer);
  }
}

function pathOf({ path, id }: Call): string {
  if (id === undefined) return `"${path}"`;
  const [before, after] = path.split("{id}") as [string, string];
  const escaped = id === "number" ? "number" : `Query.encode(${camel(id)})`;
  return `"${before}" + ${escaped}${after === "" ? "" : ` + "${after}"`}`;
}

function queryType({ name, schema }: Parameter): string {
  if (schema.format === "date-time") return "Instant";
  if (schema.type === "integer") return name === "limit" ? "Integer" : "Long";
  return "String";
}

/** Makes the filter of a list, with a method to set each of its members. */
function filter(name: string, parameters: readonly Parameter[]): string[] {
  const names = parameters.map((parameter) => camel(parameter.name));
  const values = (at: number) => names.map((own, other) => other === at ? "value" : own);
  return [
    ...javadoc(
      `What a list is asked for: {@code ${name}.ALL.withLimit(10)}. What is null says nothing.`,
      parameters.map(({ description }, at) => [names[at]!, description] as const),
    ),
    `public record ${name}(`,
    ...parameters.map((parameter, at) =>
      `    ${queryType(parameter)} ${names[at]}${at < parameters.length - 1 ? "," : ") {"}`
    ),
    "  /** All of the list. */",
    `  public static final ${name} ALL = new ${name}(${names.map(() => "null").join(", ")});`,
    ...parameters.flatMap((parameter, at) => [
      "",
      `  public ${name} with${pascal(parameter.name)}(${queryType(parameter)} value) {`,
      ...indent(javaCall(`return new ${name}`, values(at), ";"), "    "),
      "  }",
    ]),
    "",
    "  String query() {",
    ...indent(
      javaCall(
        "return Query.of",
        parameters.map(({ name }, at) => `"${name}", ${names[at]}`),
        ";",
      ),
      "    ",
    ),
    "  }",
    "}",
  ];
}
