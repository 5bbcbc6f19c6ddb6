import { ERROR_CODES, EXPIRING_CREDENTIAL, type Shape, TITLE_OF } from "@sabika/protocol";
import { DOOR_CONTRACTS, type DoorContract } from "../door_contracts.ts";
import { EVENT_CONTRACTS, EVENT_SHAPE } from "../events.ts";
import type { Operation, Parameter } from "../operation.ts";
import { type OperationId, OPERATIONS } from "../operations.ts";
import { type Method, METHODS } from "./methods.ts";
import { KEPT_CONSTANTS, RECORD_NAMES, RECORD_SAYS } from "./records.ts";

/** The kind of a value, from which each language takes its type. */
export type Kind =
  | { readonly is: "text" | "time" | "boolean" | "integer" | "digits" | "figure" }
  | { readonly is: "choice"; readonly values: readonly string[] }
  | { readonly is: "decimal"; readonly unit: Unit }
  | { readonly is: "list"; readonly of: Kind }
  | { readonly is: "record"; readonly name: string };

/** The unit of an exact decimal; `amount` is in SAR or grams, as another member says. */
export type Unit = "sar" | "grams" | "price" | "rate" | "amount";

/** A member of a record. */
export interface Member {
  /** Its name on the wire. */
  readonly name: string;
  readonly kind: Kind;
  /** Whether it may be absent or null. */
  readonly isOptional: boolean;
  readonly says: string | undefined;
  /** The only member of the object that stands there; clients may lift it up. */
  readonly inner?: Member;
}

/** An object of an answer or a request. */
export interface RecordType {
  readonly name: string;
  readonly says: string;
  readonly members: readonly Member[];
  readonly isRequest: boolean;
}

/** A method, with all that its code needs. */
export interface Call extends Method {
  readonly verb: string;
  readonly path: string;
  readonly isSigned: boolean;
  readonly needsToken: boolean;
  readonly needsKey: boolean;
  /** The record of the answer, or of each item. */
  readonly answer: string;
  /** A status besides 2xx whose answer is read. */
  readonly alsoStatus: number | undefined;
  readonly parameters: readonly Parameter[];
  /** The members of the request; undefined without a body that has members. */
  readonly request: readonly Member[] | undefined;
  /** The name of the request's type, and all its members. */
  readonly body: { readonly name: string; readonly members: readonly Member[] } | undefined;
  /** Whether exactly one of the request's members must be there. */
  readonly isChoice: boolean;
  readonly description: string;
}

/** All that the clients are made from. */
export interface Model {
  readonly calls: readonly Call[];
  /** Sorted so that a record stands behind those that it has. */
  readonly records: readonly RecordType[];
  /** The record of each type of event that has one. */
  readonly events: readonly (readonly [type: string, record: string])[];
  /** The service's, then the client's own. */
  readonly errors: readonly { readonly code: string; readonly title: string }[];
}

/** The failures that a client finds itself. */
const OWN_ERRORS: Model["errors"] = [
  { code: "connection_failed", title: "No answer came" },
  { code: "signer_failed", title: "The signer failed, and nothing was sent" },
  { code: "request_timed_out", title: "No answer came in time" },
  {
    code: "unexpected_answer",
    title: "The answer is not of this API, or not of the promised form",
  },
];

/** Makes the model of the clients from the description of the API. */
export function clientModel(): Model {
  const records = new Map<string, RecordType>();
  const { delivery } = EVENT_SHAPE.properties!;
  kindOf(delivery!, records, false);
  const events = EVENT_CONTRACTS.flatMap(({ type, shape }) => {
    const { object } = shape.properties!.data!.properties!;
    return object?.title === undefined
      ? []
      : [[type, nameOf(kindOf(object, records, false))] as const];
  });
  kindOf(EXPIRING_CREDENTIAL.shape, records, false);
  const calls = METHODS.map((method) => callOf(method, records));
  const errors = [
    ...ERROR_CODES.map((code) => ({ code, title: TITLE_OF[code] })),
    ...OWN_ERRORS,
  ];
  return { calls, records: [...records.values()], events, errors };
}

function callOf(method: Method, records: Map<string, RecordType>): Call {
  const operation: Operation = OPERATIONS[method.operation as OperationId];
  const door: DoorContract = DOOR_CONTRACTS[operation.door];
  const { title } = operation.request?.shape ?? {};
  const isOfMembers = title !== undefined &&
    Object.keys(operation.request!.shape.properties ?? {}).length > 0;
  const members = isOfMembers ? membersOf(operation.request!.shape, records, true) : undefined;
  const request = members?.filter(({ name }) => name !== method.without)
    // What is left of two alternatives must be there.
    .map((member) => ({ ...member, isOptional: isOptional(member, method, operation) }));
  return {
    ...method,
    verb: operation.method,
    path: operation.path,
    isSigned: door.isSigned,
    needsToken: door.token !== "none",
    needsKey: door.needsKey,
    answer: answerOf(method, operation, records),
    alsoStatus: operation.replies.find(({ status }) => status >= 300)?.status,
    parameters: (operation.parameters ?? []).filter((parameter) => parameter.in === "query"),
    request,
    body: members && { name: RECORD_NAMES[title!] ?? title!, members },
    isChoice: request !== undefined && request.length > 1 &&
      request.every((member) => member.isOptional) &&
      operation.request!.shape.oneOf !== undefined,
    description: method.says ?? operation.description,
  };
}

function isOptional(member: Member, method: Method, operation: Operation): boolean {
  const isAlternative = operation.request!.shape.oneOf?.some(({ required }) =>
    required?.[0] === member.name
  );
  return member.isOptional && !(method.without !== undefined && isAlternative);
}

function answerOf(method: Method, operation: Operation, records: Map<string, RecordType>): string {
  const [first, ...others] = operation.replies.map(({ contents }) => contents[0]!.shape);
  if (method.returns === "list") {
    const { items } = first!.properties!.data!;
    return items!.title === "Event" ? "Event" : nameOf(kindOf(items!, records, false));
  }
  if (method.returns !== "record" && method.returns !== "probe") return "";
  const name = nameOf(kindOf(first!, records, false));
  const record = records.get(name)!;
  // A member that an answer with another status lacks may be absent.
  const members = record.members.map((member) => ({
    ...member,
    isOptional: member.isOptional ||
      others.some(({ properties }) => properties?.[member.name] === undefined),
  }));
  records.set(name, { ...record, members });
  return name;
}

/** Returns the kind of a shape; collects the records in it. */
function kindOf(shape: Shape, records: Map<string, RecordType>, isRequest: boolean): Kind {
  const { title, format, pattern, enum: values } = shape;
  const [type] = [shape.type].flat();
  if (title !== undefined) {
    const name = RECORD_NAMES[title] ?? title;
    if (!records.has(name)) {
      const members = membersOf(shape, records, isRequest);
      const says = RECORD_SAYS[name];
      if (says === undefined) throw new TypeError(`records.ts does not say what ${name} is`);
      records.set(name, { name, says, members, isRequest });
    }
    return { is: "record", name };
  }
  if (format === "decimal") return { is: "decimal", unit: unitOf(shape) };
  if (format === "date-time") return { is: "time" };
  if (pattern === "^(0|[1-9][0-9]{0,18})$") return { is: "digits" };
  if (values !== undefined) return { is: "choice", values: values.map(String) };
  if (type === "array") return { is: "list", of: kindOf(shape.items!, records, isRequest) };
  if (type === "number") return { is: "figure" };
  if (type === "string") return { is: "text" };
  if (type === "integer" || type === "boolean") return { is: type };
  if (typeof shape.const === "boolean") return { is: "boolean" };
  if (typeof shape.const === "number") return { is: "integer" };
  throw new TypeError(`there is no kind for ${JSON.stringify(shape)}`);
}

function unitOf({ description = "", "x-decimals": decimals }: Shape): Unit {
  if (decimals === 6) return "rate";
  if (decimals === 2) return "sar";
  if (description.includes("SAR or grams")) return "amount";
  return description.includes("SAR a gram") ? "price" : "grams";
}

function nameOf(kind: Kind): string {
  if (kind.is === "record") return kind.name;
  throw new TypeError("it is not a record");
}

function membersOf(shape: Shape, records: Map<string, RecordType>, isRequest: boolean): Member[] {
  const entries = Object.entries(shape.properties ?? {});
  const kept = KEPT_CONSTANTS[RECORD_NAMES[shape.title!] ?? shape.title!] ?? [];
  return entries.filter(([name, member]) => member.const === undefined || kept.includes(name))
    .map(([name, member]) => {
      const bare = member.anyOf?.find(({ type }) => type !== "null");
      const isNullable = bare !== undefined || [member.type].flat().includes("null");
      const value = bare ?? member;
      const common = {
        name,
        isOptional: isNullable || !(shape.required ?? []).includes(name),
        says: member.description ?? bare?.description,
      };
      const only = Object.entries(value.properties ?? {});
      if (isRequest || only.length !== 1) {
        return { ...common, kind: kindOf(value, records, isRequest) };
      }
      const [[innerName, innerShape]] = only as [[string, Shape]];
      const kind = kindOf(innerShape, records, isRequest);
      const inner = { name: innerName, kind, isOptional: false, says: innerShape.description };
      return { ...common, says: common.says ?? inner.says, kind, inner };
    });
}
