import { type Filter, type ListRead, type Read, READS } from "@sabika/office/reads";
import { formatTime, PAGE_LIMIT_DEFAULT } from "@sabika/protocol";
import type { Command } from "@stricli/core";
import type { Context } from "../context.ts";
import { notFound, RefusedError } from "../outcome.ts";
import { readItems, readJson } from "../reads/read.ts";
import { columnsOf } from "./columns.ts";
import { command, readFlag, textFlag } from "./command.ts";
import { details } from "./details.ts";
import { jsonOf } from "./json.ts";
import { listing } from "./listing.ts";
import { PAGE_FLAGS, type PageFlags, pageShown, PARTNER_FLAG } from "./page.ts";
import { whole } from "./parsers.ts";

/** Makes the commands of a noun from the table of reads, by verb. */
export function readCommands(noun: string): Record<string, Command<Context>> {
  return Object.fromEntries(
    READS.filter((read) => read.command?.noun === noun)
      .map((read) => [read.command!.verb, readCommand(read)]),
  );
}

function readCommand(read: Read): Command<Context> {
  return read.kind === "one" ? showCommand(read) : listCommand(read);
}

/** Makes the command that shows one thing by its columns, and with `--json` all that the office answers. */
function showCommand(read: Read): Command<Context> {
  const { noun, argument, ...definition } = read.command!;
  const [, variable] = /\{(\w+)\}/.exec(read.path)!;
  return command<object, [string]>({
    ...definition,
    args: [argument!],
    async run(session, _flags, id) {
      const found = await readJson(session, read, { path: { [variable!]: id } });
      if (found === undefined) throw notFound(`${noun} ${id}`);
      const { json, text } = details(found, columnsOf(read));
      return { json: { ...jsonOf(found) as typeof json, ...json }, text };
    },
  });
}

/** Makes the command that shows a list, with the read's filters as flags. */
function listCommand(read: ListRead<unknown>): Command<Context> {
  const { filters = {}, by } = read;
  const namesPartner = read.path.includes("{partner}");
  return command<PageFlags & Record<string, unknown>, []>({
    ...read.command!,
    flags: {
      ...(namesPartner ? { partner: PARTNER_FLAG } : {}),
      ...(by === "key" ? { key: textFlag("What this Idempotency-Key made", "KEY") } : {}),
      ...flagsOf(filters),
      ...(by === "all" ? {} : PAGE_FLAGS),
      // Stricli types flags statically; these come from the table of reads.
    } as never,
    async run(session, { json: _json, yes: _yes, ...flags }) {
      const filterValues = Object.entries(filters)
        .map(([name, { flag }]) => [name, flags[flag?.name ?? ""]]);
      const path = namesPartner ? { partner: String(flags["partner"]) } : undefined;
      const query = { ...pageQuery(read, flags), ...Object.fromEntries(filterValues) };
      const page = await readItems(session, read, { ...path && { path }, query })
        .catch((error: unknown) => throwReadError(error, query));
      const columns = columnsOf(read);
      return by === "all" ? listing(page.data, columns) : pageShown(page, columns);
    },
  });
}

/** Throws the error of a read; for a refused cursor, one that names the flag `--after`. */
function throwReadError(error: unknown, { cursor }: { cursor?: unknown }): never {
  const isCursor = error instanceof RefusedError && error.code === "invalid_request" &&
    cursor !== undefined && error.message.startsWith("cursor ");
  if (!isCursor) throw error;
  throw new RefusedError("invalid_request", "--after takes what a list before it ended with");
}

function pageQuery({ by }: ListRead<unknown>, flags: PageFlags & Record<string, unknown>) {
  if (by === "all") return {};
  const { from, until, limit = PAGE_LIMIT_DEFAULT, after, key } = flags;
  const formatBound = (ms: number | undefined) => ms === undefined ? undefined : formatTime(ms);
  return {
    limit,
    cursor: after,
    created_from: formatBound(from),
    created_to: formatBound(until),
    ...by === "key" && { idempotency_key: key },
  };
}

function flagsOf(filters: Readonly<Record<string, Filter>>): object {
  const flags: Record<string, object> = {};
  for (const { values, isCount, flag } of Object.values(filters)) {
    if (flag === undefined) continue;
    const { name, brief, placeholder = "TEXT" } = flag;
    flags[name] = values !== undefined
      ? { kind: "enum", values, brief, optional: true }
      : isCount
      ? readFlag(whole, brief, placeholder)
      : textFlag(brief, placeholder);
  }
  return flags;
}
