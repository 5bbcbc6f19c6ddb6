import { withAuditRecord, writeAuditRecord } from "@sabika/service/audit";
import type { KeptVerification } from "../audit_verifications.ts";
import type { Call, Page, Shown } from "../call.ts";
import { linesAnswer } from "../download.ts";
import { fill } from "../languages/fill.ts";
import { Code, Moment, PrintButton, State } from "../layout/inline.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { readFields } from "./form_fields.tsx";

const PATH = "/audit/verification";

/** The last verification of the audit log, and the form that asks for one. */
export const auditVerification: Page = {
  path: PATH,
  act: "audit.read",
  show: (call) => Promise.resolve(showVerification(call)),
};

/** Verifies the whole audit log, and shows the result. */
export const verifyAuditLog: Page = {
  path: PATH,
  method: "POST",
  act: "audit.read",
  async show(call) {
    const { verifications, context, language, viewer } = call;
    const [text = ""] = (await readFields(call))["head"] ?? [];
    const hash = text.trim().toLowerCase();
    if (!/^(?:[0-9a-f]{64})?$/.test(hash)) return showVerification(call, text);
    await verifications.verify(viewer.name, hash === "" ? undefined : { hash });
    return context.redirect(`/${language}${PATH}`, 303);
  },
};

/** The audit log as `sabika audit export` writes it, which `sabika audit verify --export` judges. */
export const auditRecordFile: Page = {
  path: "/audit.jsonl",
  act: "audit.read",
  show({ database: { sql } }) {
    return Promise.resolve(
      linesAnswer("sabika-audit.jsonl", (write) =>
        withAuditRecord(sql, async (record) => {
          for await (const line of writeAuditRecord(record)) await write(line);
        })),
    );
  },
};

/** Makes the page; `wrong` is a head that cannot be read. */
function showVerification(call: Call, wrong?: string): Shown {
  const { language, verifications, words } = call;
  const { audit: { verification } } = words;
  const last = verifications.last();
  return {
    title: verification.title,
    status: wrong === undefined ? 200 : 400,
    content: (
      <>
        <p class="soft">{verification.lead}</p>
        <form class="card tall act" method="post" action={`/${language}${PATH}`}>
          <label for="head">{verification.head}</label>
          <input
            id="head"
            name="head"
            value={wrong ?? ""}
            dir="ltr"
            autocomplete="off"
            aria-invalid={wrong === undefined ? undefined : "true"}
            aria-describedby={wrong === undefined ? undefined : "wrong-head"}
          />
          {wrong !== undefined && (
            <p id="wrong-head" role="alert" class="wrong">{verification.wrongHead}</p>
          )}
          <button type="submit">{verification.button}</button>
        </form>
        <section aria-labelledby="last">
          <h2 id="last">{verification.last}</h2>
          {last === undefined
            ? <p class="empty">{verification.never}</p>
            : <Verification call={call} last={last} />}
        </section>
        <p class="pager">
          <a href={`/${language}/audit.jsonl`}>{verification.file}</a>
          <a href={`/${language}/audit`}>{words.pages.audit}</a>
        </p>
      </>
    ),
  };
}

function Verification({ call: { words }, last }: { call: Call; last: KeptVerification }) {
  const { audit: { verification }, books } = words;
  const { findings, head, published } = last;
  return (
    <>
      <div class="card narrow">
        <p>
          {findings.length === 0
            ? <State word={verification.holds} mood="good" />
            : <State word={fill(verification.found, { n: findings.length })} mood="bad" />}
        </p>
        <Facts
          facts={[
            [books.finished, <Moment ms={last.finishedAtMs} />],
            [books.took, <Code text={`${(last.durationMs / 1_000).toFixed(1)} s`} />],
            [books.who, <bdi>{last.who}</bdi>],
            [verification.entries, last.entries],
            [verification.signed, last.signed],
            [verification.breakGlasses, last.breakGlasses],
            [verification.lastEntry, String(head.auditId)],
            [verification.hash, <Code text={head.hash} />],
            [
              verification.compared,
              published === undefined ? words.none : <Code text={published.hash} />,
            ],
          ]}
        />
        <PrintButton words={words} />
      </div>
      {findings.length > 0 && (
        <Table
          caption={fill(verification.found, { n: findings.length })}
          empty={words.none}
          rows={findings}
          columns={[
            { head: verification.kind, cell: ({ finding }) => verification.kinds[finding] },
            { head: verification.says, cell: ({ message }) => <bdi lang="en">{message}</bdi> },
          ]}
        />
      )}
    </>
  );
}
