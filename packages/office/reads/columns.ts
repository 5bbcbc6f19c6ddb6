import { isJsonObject, type JsonValue, type Shape } from "@sabika/protocol";

/** A member of a read's answer as a column, with its headings. */
export interface Column {
  /** In the command's tables; null: in the command's JSON only; left out: in neither. */
  readonly head?: string | null;
  /** In the console, in English. */
  readonly en?: string;
  /** In the console, in Arabic. */
  readonly ar?: string;
  /** The path of its value in the answer, if not the column's name: `delivery.status`. */
  readonly from?: string;
  /** Whether older items lack it: then it is shown as not known. */
  readonly maybeUnknown?: true;
}

/** The column of a pool's id. */
export const POOL_COLUMN: Column = { head: "POOL", en: "Pool", ar: "المجمّع" };
/** The column of a partner's client id. */
export const PARTNER: Column = { head: "PARTNER", en: "Partner", ar: "الشريك" };
/** The column of the time when an item was made. */
export const CREATED: Column = { head: "CREATED", en: "Time (Riyadh)", ar: "الوقت (الرياض)" };
/** The column of a caller's or bank's reference. */
export const REFERENCE: Column = { head: "REFERENCE", en: "Reference", ar: "المرجع" };
/** The column of a state. */
export const STATUS: Column = { head: "STATUS", en: "State", ar: "الحالة" };
/** The column of the reason of a failure or decision, for JSON and the console. */
export const REASON: Column = { head: null, en: "Reason", ar: "السبب" };

/** Splits a text such as `client_id, name` into the names of a page's or file's columns. */
export const names = (text: string): readonly string[] => text.split(/,\s*/);

/** Returns an item's value at a path such as `delivery.status`, for a list each member's; null for none. */
export function valueAt(item: JsonValue, path: string): JsonValue {
  const [name = "", ...rest] = path.split(".");
  if (name === "") return item;
  if (Array.isArray(item)) {
    return (item as readonly JsonValue[]).map((member) => valueAt(member, path));
  }
  const found = isJsonObject(item) ? item.get(name) : undefined;
  return found === undefined ? null : valueAt(found, rest.join("."));
}

/** Returns the schema of the value at a path such as `delivery.status`; empty where there is none. */
export function shapeAt(shape: Shape, path: string): Shape {
  let found = shape;
  for (const name of path.split(".")) {
    const { properties, anyOf } = found;
    found = (properties ?? anyOf?.[0]?.properties)?.[name] ?? {};
  }
  return found.anyOf?.[0] ?? found;
}
