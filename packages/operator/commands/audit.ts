import { buildRouteMap } from "@stricli/core";
import { listAudit, type PublishedHead, readAuditHead, verifyAudit } from "@sabika/core/admin";
import { command, readFlag, textFlag } from "../command/command.ts";
import { type Json, time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { whole } from "../command/parsers.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { table } from "../command/table.ts";
import { UsageError } from "../outcome.ts";

const listEntries = command<{ partner?: string; limit?: number }, []>({
  brief: "List changes, newest first",
  examples: ["audit list", "audit list --partner bank-one --limit 10"],
  flags: {
    partner: textFlag("Of this partner alone", "ID"),
    limit: readFlag(whole, "At most this many (50)", "NUMBER"),
  },
  async run(session, flags) {
    const { sql } = await session.database();
    const entries = await listAudit(sql, { clientId: flags.partner, limit: flags.limit ?? 50 });
    return listing(entries, [
      ["id", null, (entry) => Number(entry.auditId)],
      ["at", "AT", (entry) => time(entry.atMs)],
      ["who", "WHO", (entry) => entry.who],
      ["from", "FROM", (entry) => entry.from],
      ["action", "ACTION", (entry) => entry.action],
      ["client_id", "PARTNER", (entry) => entry.clientId],
      ["detail", "DETAIL", (entry) => entry.detail as Json, describeDetail],
    ]);
  },
});

function describeDetail({ detail }: { detail: object }): string {
  return Object.entries(detail).map(([name, value]) => `${name}=${value}`).join(" ");
}

const head = command<object, []>({
  brief: "Show the last entry's number and hash, to be kept elsewhere",
  examples: ["audit head", "audit head >> heads.txt"],
  async run(session) {
    const { auditId, hash } = await readAuditHead((await session.database()).sql);
    return { json: { sequence: Number(auditId), hash }, text: `${auditId} ${hash}\n` };
  },
});

const verify = command<{ head?: string; heads?: string }, []>({
  brief: "Recount the chain of entries: exit 1 when one was changed, removed or moved",
  more:
    "Whoever owns the database can write a whole new chain. A head that was published before shows\n" +
    "it: --head with its hash, or --heads with the servers' log, their file of heads, or lines of\n" +
    "audit head.",
  examples: ["audit verify", "audit verify --head 5f3a91c0…", "audit verify --heads heads.txt"],
  flags: {
    head: readFlag(readHash, "A head that was published, 64 hex digits", "HASH"),
    heads: textFlag("A file with published heads, one a line", "FILE"),
  },
  async run(session, flags) {
    const published: PublishedHead[] = flags.head === undefined ? [] : [{ hash: flags.head }];
    if (flags.heads !== undefined) {
      published.push(...readHeads(await readTextFile(flags.heads, "the heads")));
    }
    const found = await verifyAudit((await session.database()).sql, published);
    const { entries, findings, head: { auditId, hash } } = found;
    return {
      failed: findings.length > 0,
      json: {
        ok: findings.length === 0,
        entries,
        head: { sequence: Number(auditId), hash },
        heads_compared: published.length,
        findings: findings.map((one) => ({
          finding: one.finding,
          id: one.auditId === null ? null : Number(one.auditId),
          until_id: one.untilId === undefined ? null : Number(one.untilId),
          message: one.message,
        })),
      },
      text: findings.length === 0
        ? `all is well: ${entries} entries, ${published.length} published heads, head ${auditId} ${hash}\n`
        : table(["FINDING", "DETAIL"], findings.map((one) => [one.finding, one.message])),
    };
  },
});

function readHash(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new UsageError("a head is a hash of 64 hex digits");
  return hash;
}

/** Heads out of lines of JSON or `NUMBER HASH`; other lines, as a log has them, are passed over. */
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

/** `sabika audit …` */
export const audit = buildRouteMap({
  docs: { brief: "Who changed what, when, from where" },
  routes: { list: listEntries, head, verify },
});
