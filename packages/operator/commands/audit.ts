import { buildRouteMap } from "@stricli/core";
import type { AuditRecord, PublishedHead, PublishedKey, SignedEntry } from "@sabika/service/audit";
import { AUDIT, AUDIT_LOG_ENTRY, AUDIT_LOG_HEAD, OWN_ACT } from "@sabika/office/reads";
import { PAGE_LIMIT_MAX, parseTime, type PublicJwk } from "@sabika/protocol";
import { columnsOf, detailed, type Item, membersOf } from "../command/columns.ts";
import { command, readFlag, textFlag } from "../command/command.ts";
import { time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { text, whole } from "../command/parsers.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { list, table } from "../command/table.ts";
import { OUT_FILE, writeLines } from "../command/write_lines.ts";
import { notFound, RefusedError, UsageError } from "../outcome.ts";
import { findOne, readItems, readOne } from "../reads/read.ts";

const listEntries = command<{ partner?: string; limit?: number }, []>({
  brief: "List changes, newest first",
  examples: ["audit list", "audit list --partner bank-one --limit 10"],
  flags: {
    partner: textFlag("Of this partner alone", "ID"),
    limit: readFlag(whole, "At most this many (50)", "NUMBER"),
  },
  async run(session, flags) {
    const { partner, limit = 50 } = flags;
    const entries: Item[] = [];
    let cursor: string | undefined;
    do {
      const page = await readItems(session, AUDIT, {
        query: {
          client_id: partner,
          cursor,
          limit: Math.min(limit - entries.length, PAGE_LIMIT_MAX),
        },
      });
      entries.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && entries.length < limit);
    return listing(entries, columnsOf(AUDIT, { detail: describeDetail }));
  },
});

const showEntry = command<object, [number]>({
  brief: "Show one entry: who did what, with which arguments, and whether their signature fits",
  more:
    "Its signature is verified now; that no entry is missing or was changed, audit verify says.",
  examples: ["audit show 42", "audit show 42 --json"],
  args: [["NUMBER", "The entry's, as audit list shows it", whole]],
  async run(session, _flags, number) {
    const entry = await findOne(session, AUDIT_LOG_ENTRY, { path: { id: String(number) } });
    if (entry === undefined) throw notFound(`entry ${number}`);
    const { sequence: _sequence, ...members } = membersOf(AUDIT_LOG_ENTRY, entry);
    const { who, from, action, clientId, detail } = entry;
    return {
      json: { id: number, ...members },
      text: list([
        ["number", number],
        ["at", time(entry.atMs)],
        ["who", who],
        ["from", from],
        ["action", action],
        ["partner", clientId],
        ...Object.entries(detail).filter(([name]) => name !== "signature").map(([name, value]) =>
          [`  ${name}`, typeof value === "string" ? value : JSON.stringify(value)] as const
        ),
        ["signed", describeSignature(entry)],
      ]),
    };
  },
});

function describeSignature({ detail, signature }: SignedEntry): string {
  if ("break_glass" in detail) return "by nobody: the glass was broken";
  if (!("act" in detail)) return "by nobody";
  if (signature?.fits !== true) return "what is there does not fit: run audit verify";
  const { keyId, rpId } = signature;
  return rpId === null ? `by the key ${keyId}` : `by the passkey ${keyId} of ${rpId}`;
}

function describeDetail(detail: object): string {
  return Object.entries(detail).filter(([name]) => name !== "signature")
    .map(([name, value]) => `${name}=${value}`).join(" ");
}

const outcome = command<object, [string]>({
  brief: "Say what became of an act of yours whose answer was lost",
  examples: ["audit outcome 01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
  args: [["ID", "The act's id, as the command that asked for it said", text]],
  async run(session, _flags, id) {
    const found = await findOne(session, OWN_ACT, { path: { id } });
    if (found !== undefined) return detailed(OWN_ACT, found);
    throw new RefusedError("not_found", `nothing of yours was done under ${id}`);
  },
});

const head = command<object, []>({
  brief: "Show the last entry's number and hash, to be kept elsewhere",
  examples: ["audit head", "audit head >> heads.txt"],
  async run(session) {
    const { auditId, hash } = await readOne(session, AUDIT_LOG_HEAD);
    return { json: { sequence: Number(auditId), hash }, text: `${auditId} ${hash}\n` };
  },
});

const exportRecord = command<{ out: string }, []>({
  brief: "Write the whole log to a file, with what was signed and the public keys",
  more: "`audit verify --export FILE` judges it without a database, wherever it is.",
  examples: ["audit export --out audit.jsonl"],
  flags: { out: OUT_FILE },
  async run(session, { out }) {
    const { withAuditRecord, writeAuditRecord } = await import("@sabika/service/audit");
    const { sql } = await session.database();
    const lines = await withAuditRecord(
      sql,
      (record) => writeLines(out, writeAuditRecord(record)),
    );
    const entries = lines - 1;
    return { json: { file: out, entries }, text: `${entries} entries are in ${out}\n` };
  },
});

interface VerifyFlags {
  head?: string;
  heads?: string;
  export?: string;
  keys?: string;
}

const verify = command<VerifyFlags, []>({
  brief: "Recount the chain, check every signature, replay the log: exit 1 when anything is wrong",
  more:
    "Whoever owns the database can write a whole new chain. A head that was published before shows\n" +
    "it: --head with its hash, or --heads with the servers' log, their file of heads, or lines of\n" +
    "audit head. Signatures are judged by the keys in the log, or by those that were published:\n" +
    "--keys with what `operator key list --json` showed. The register is compared with what the\n" +
    "entries left. --export needs no database, and compares none.",
  examples: ["audit verify", "audit verify --head 5f3a91c0…", "audit verify --heads heads.txt"],
  flags: {
    head: readFlag(readHash, "A head that was published, 64 hex digits", "HASH"),
    heads: textFlag("A file with published heads, one a line", "FILE"),
    export: textFlag("What `audit export` wrote, in place of the database", "FILE"),
    keys: textFlag("People's keys as they were published, in place of those of the log", "FILE"),
  },
  async run(session, flags) {
    const { readAuditRecord, verifyAudit, withAuditRecord } = await import("@sabika/service/audit");
    const published: PublishedHead[] = flags.head === undefined ? [] : [{ hash: flags.head }];
    if (flags.heads !== undefined) {
      published.push(...readHeads(await readTextFile(flags.heads, "the heads")));
    }
    const keys = flags.keys === undefined
      ? {}
      : { keys: readKeys(await readTextFile(flags.keys, "the keys")) };
    const judge = (record: AuditRecord) => verifyAudit({ ...record, ...keys }, published);
    const found = flags.export === undefined
      ? await withAuditRecord((await session.database()).sql, judge)
      : await judge(readExport(await readTextFile(flags.export, "the export"), readAuditRecord));
    const { entries, findings, signed, breakGlasses, head: { auditId, hash } } = found;
    return {
      failed: findings.length > 0,
      json: {
        ok: findings.length === 0,
        entries,
        signed,
        break_glasses: breakGlasses,
        head: { sequence: Number(auditId), hash },
        heads_compared: published.length,
        findings: findings.map((found) => ({
          finding: found.finding,
          id: found.auditId === null ? null : Number(found.auditId),
          until_id: found.untilId === undefined ? null : Number(found.untilId),
          message: found.message,
        })),
      },
      text: findings.length === 0
        ? `all is well: ${entries} entries, ${signed} signed, ${breakGlasses} broken glasses, ` +
          `${published.length} published heads, head ${auditId} ${hash}\n`
        : table(["FINDING", "DETAIL"], findings.map((found) => [found.finding, found.message])),
    };
  },
});

function readHash(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new UsageError("a head is a hash of 64 hex digits");
  return hash;
}

/** Reads heads from lines of JSON or `NUMBER HASH`; skips other lines, such as a log has. */
function readHeads(text: string): PublishedHead[] {
  const heads = text.split("\n").flatMap((line): PublishedHead[] => {
    const [, number, hash] =
      /^\{.*"sequence":\s*([0-9]+),\s*"hash":\s*"([0-9a-f]{64})"/.exec(line) ??
        /^([0-9]+) ([0-9a-f]{64})\s*$/.exec(line) ?? [];
    return hash === undefined ? [] : [{ auditId: BigInt(number!), hash }];
  });
  if (heads.length === 0) throw new UsageError("there is no published head in the file");
  return heads;
}

function readExport(text: string, read: (text: string) => AuditRecord): AuditRecord {
  try {
    return read(text);
  } catch {
    throw new UsageError("the file is not what `audit export` writes");
  }
}

function readKeys(text: string): PublishedKey[] {
  try {
    return (JSON.parse(text) as Record<string, unknown>[]).map((key) => ({
      operator: String(key["operator"]),
      keyId: String(key["key_id"]),
      publicJwk: key["public_jwk"] as PublicJwk,
      validFromMs: parseTime(String(key["valid_from"]))!,
      validUntilMs: key["valid_until"] === null ? null : parseTime(String(key["valid_until"]))!,
      rpId: typeof key["rp_id"] === "string" ? key["rp_id"] : null,
    }));
  } catch {
    throw new UsageError("the file is not what `operator key list --json` shows");
  }
}

/** `sabika audit …` */
export const audit = buildRouteMap({
  docs: { brief: "Who changed what, when, from where" },
  routes: { list: listEntries, show: showEntry, outcome, head, export: exportRecord, verify },
});
