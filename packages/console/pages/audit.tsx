import {
  type AuditEntry,
  type EntrySignature,
  listAudit,
  readSignatures,
  RIGHTS,
} from "@sabika/core/admin";
import { formatTime } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { Select } from "../layout/filter.tsx";
import { Code, Moment, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";
import { Given } from "./given.tsx";

/** What stands on the page by itself, or is long. */
const NOT_SHOWN = ["act", "signature", "signed_at", "arguments"];

interface Row extends AuditEntry {
  readonly signature: EntrySignature | undefined;
}

/** The audit log, newest first: who did what, from where, and whether their signature fits. */
export const [audit, auditFile] = listPages<Row>({
  ...{ path: "/audit", act: "audit.read", entry: "audit", own: ["who", "act"] },
  caption: (words) => words.pages.audit,
  nothing: (words) => words.none,
  columns: columnsOf,
  fileColumns: [
    ["number", (one) => String(one.auditId)],
    ["at", (one) => formatTime(one.atMs)],
    ["who", (one) => one.who],
    ["action", (one) => one.action],
    ["client_id", (one) => one.clientId],
    ["from", (one) => one.from],
    ["key_id", (one) => one.signature?.keyId ?? null],
    ["signature_fits", (one) => one.signature === undefined ? null : String(one.signature.fits)],
    ["detail", (one) => JSON.stringify(one.detail)],
  ],
  above: ({ words }) => <p class="soft">{words.audit.lead}</p>,
  filters: ({ words }, asked) => (
    <>
      <label for="who">{words.audit.who}</label>
      <input id="who" name="who" value={asked["who"] ?? ""} dir="ltr" />
      <Select
        name="act"
        label={words.approvals.act}
        any={words.any}
        options={Object.keys(RIGHTS).filter((name) => !name.endsWith(".read"))
          .map((name) => [name, name] as const)}
        asked={asked}
      />
    </>
  ),
  async read({ database: { sql }, environment }, { asked, of }, { before, limit }) {
    const found = await listAudit(sql, {
      ...{ ...of, who: asked["who"], action: asked["act"], limit: limit + 1 },
      beforeId: /^[1-9][0-9]{0,15}$/.test(before ?? "") ? BigInt(before!) : undefined,
    });
    const entries = found.slice(0, limit);
    const signatures = await readSignatures(sql, environment, entries);
    return {
      rows: entries.map((one) => ({ ...one, signature: signatures.get(one.auditId) })),
      next: found.length > limit ? String(entries.at(-1)?.auditId) : undefined,
    };
  },
});

function columnsOf({ words }: Call): Column<Row>[] {
  const { audit } = words;
  return [
    { head: audit.number, cell: (one) => String(one.auditId), isFigure: true },
    { head: words.time, cell: (one) => <Moment ms={one.atMs} /> },
    { head: audit.who, cell: (one) => <bdi>{one.who}</bdi> },
    {
      head: audit.signed,
      cell: ({ detail, signature }) =>
        "break_glass" in detail
          ? <State word={audit.brokenGlass} mood="bad" />
          : !("act" in detail)
          ? <State word={words.no} mood="waiting" />
          : signature?.fits === true
          ? <State word={signature.rpId === null ? audit.byKey : audit.byPasskey} mood="good" />
          : <State word={audit.doesNotFit} mood="bad" />,
    },
    { head: words.approvals.act, cell: (one) => <Code text={one.action} /> },
    { head: words.partner, cell: (one) => <bdi>{one.clientId ?? "–"}</bdi> },
    { head: audit.from, cell: (one) => <bdi>{one.from}</bdi> },
    {
      head: audit.detail,
      cell: ({ detail, signature }) => (
        <Given
          given={{
            ...Object.fromEntries(
              Object.entries(detail).filter(([name]) => !NOT_SHOWN.includes(name)),
            ),
            ...(signature && { key: signature.keyId }),
          }}
        />
      ),
    },
  ];
}
