import { type ListRead, type Read, shapeAt, valueAt, type Words } from "@sabika/office/reads";
import { JsonNumber, type JsonValue, parseJson, parseTime, type Shape } from "@sabika/protocol";
import { plainJson } from "@sabika/protocol/plain-json";
import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import type { Cell } from "@sabika/terms";
import { figure } from "@sabika/office/dossier";
import { Code, Id, Moment, None, PartnerLink, State } from "./inline.tsx";
import { type Column, type Fact, Table } from "./table.tsx";

/** An item of a list: as the read found it, and as the office answers it. */
export interface Row<T> {
  readonly value: T;
  readonly item: JsonValue;
}

/** The words and colours of a column's values. */
export interface States {
  readonly words: Readonly<Record<string, string>>;
  readonly moods?: Readonly<Record<string, "good" | "bad" | "waiting">>;
}

/** The cells, words and columns by which a table differs from the columns of its read. */
export interface Look<T> {
  /** The functions that make cells, by their column's name. */
  readonly cells?: Readonly<Record<string, (value: T) => Child>>;
  /** The words and colours of values, by their column's name. */
  readonly states?: Readonly<Record<string, States>>;
  /** Columns after those of the read: acts on the row, or figures. */
  readonly extraColumns?: readonly Column<T>[];
}

/** Makes rows of items, each also in the form that the office answers. */
export function rowsOf<T>({ form }: Read<T>, items: readonly T[]): Row<T>[] {
  return items.map((value) => ({ value, item: parseJson(form.write(value)) }));
}

/** A table of a list, with the columns of its read. */
export function ReadTable<T>(
  { call, read, items, look = {}, names = read.page?.columns ?? [], section, caption, empty }: {
    call: Call;
    read: ListRead<T>;
    items: readonly T[];
    look?: Look<T>;
    /** Its columns, if not those of the read's page. */
    names?: readonly string[];
    /** As for {@linkcode Table}. */
    section?: string;
    /** Its caption, if not the read's. */
    caption?: string;
    /** Shown in place of a table without rows, if not the read's text. */
    empty?: string | undefined;
  },
) {
  return (
    <Table<Row<T>>
      section={section}
      caption={caption ?? read.page?.caption[call.language] ?? ""}
      empty={empty ?? read.page?.nothing[call.language] ?? ""}
      rows={rowsOf(read, items)}
      columns={[
        ...names.map((name) => columnOf(call, read, name, look)),
        ...(look.extraColumns ?? []).map((column) => ({
          ...column,
          isAct: column.isFigure !== true,
          cell: ({ value }: Row<T>) => column.cell(value),
        })),
      ]}
    />
  );
}

/**
 * Makes facts of some columns of an item.
 *
 * @param names the columns, in their order
 * @returns heads and values, as `Facts` takes them
 */
export function factsOf<T>(
  call: Call,
  { read, item, names, look = {} }: {
    read: Read<T>;
    item: T;
    names: readonly string[];
    look?: Look<T>;
  },
): Fact[] {
  const [row] = rowsOf(read, [item]);
  return names.map((name) => {
    const { head, cell } = columnOf(call, read, name, look);
    return [head, cell(row!)];
  });
}

function columnOf<T>(call: Call, read: Read<T>, name: string, look: Look<T>): Column<Row<T>> {
  const column = read.columns![name]!;
  const path = column.from ?? name;
  const shape = shapeAt(read.form.shape, path);
  const cell = look.cells?.[name];
  const states = look.states?.[name];
  return {
    head: (column as Partial<Words>)[call.language] ?? name,
    isFigure: isNumber(shape),
    cell({ value, item }) {
      if (cell !== undefined) return cell(value);
      const found = valueAt(item, path);
      if (found === null) {
        return column.maybeUnknown === true
          ? <span class="soft">{call.words.notKnown}</span>
          : <None />;
      }
      if (states !== undefined) return <StateWord states={states} value={String(found)} />;
      return <Value call={call} name={name} shape={shape} value={found} />;
    },
  };
}

/** A value of a closed list, by its word. */
function StateWord({ states: { words, moods }, value }: { states: States; value: string }) {
  const word = words[value] ?? value;
  const mood = moods?.[value];
  return mood === undefined ? <>{word}</> : <State word={word} mood={mood} />;
}

/** A value for people, as its schema requires. */
function Value({ call, name, shape, value }: {
  call: Call;
  name: string;
  shape: Shape;
  value: JsonValue;
}) {
  if (value instanceof JsonNumber) {
    const { "x-decimals": decimals } = shape;
    if (decimals === undefined) return <>{value.text}</>;
    // Riyals have both decimals.
    return <>{figure(value.text, decimals === 2 ? 2 : 0)}</>;
  }
  if (typeof value === "boolean") return <>{value ? call.words.yes : call.words.no}</>;
  if (typeof value !== "string") return <Code text={textOf(value)} />;
  if (name === "client_id") return <PartnerLink call={call} clientId={value} />;
  if (shape.format === "date-time") return <Moment ms={parseTime(value) ?? null} />;
  return shape.pattern === undefined && shape.enum === undefined
    ? <bdi class="text">{value}</bdi>
    : <Id text={value} />;
}

const isNumber = ({ type }: Shape) =>
  [type].flat().some((name) => /number|integer/.test(name ?? ""));

/** Returns the columns of a read's file, each with its name there and its cell. */
export function fileColumns<T>(
  read: ListRead<T>,
): readonly (readonly [name: string, cell: (row: Row<T>) => Cell])[] {
  const { columns, file = columns } = read.page!;
  return file.map((line) => {
    const [name = "", head = name] = line.split(" as ");
    const { from: path = name, maybeUnknown } = read.columns?.[name] ?? {};
    return [head, ({ item }) => {
      const value = valueAt(item, path);
      return value === null ? maybeUnknown === true ? "not known" : null : textOf(value);
    }];
  });
}

/** Writes a value as programs read it; the values of a list with a space between them. */
function textOf(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(textOf).join(" ");
  return typeof value === "string" ? value : JSON.stringify(plainJson(value));
}
