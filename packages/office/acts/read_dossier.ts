import { type Environment, formatHalalas, formatTime } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { type AdminContext, readPeopleSince } from "@sabika/service/audit";
import { MAIN_CELL } from "@sabika/service/cells";
import { type ActName, type AdminOutcome, mayDo, type Role } from "@sabika/terms";
import { findRule } from "./approval_rules.ts";
import { readArguments } from "./arguments.ts";
import { CATALOGUE, isCarried, isForRequester } from "./catalogue.ts";
import { context, type Dossier, firstDifference, type Line, line } from "./dossier/line.ts";
import { asDossier } from "./dossier/check_dossier.ts";
import type { Describe, Subject } from "./dossier/subject.ts";
import { findPartnerOf } from "./find_partner_of.ts";
import { openCell } from "./open_cell.ts";
import { listApprovals } from "./read_approvals.ts";

/** Where a dossier's facts are. */
export interface DossierContext extends Pick<AdminContext, "cells" | "now"> {
  /** Control's database, or a transaction there. */
  readonly sql: AnySql;
  readonly environment: Environment;
}

type Values = Readonly<Record<string, unknown>>;

/** Who is about to sign an act, and under which id. */
export interface Signing {
  readonly id: string;
  readonly operatorId: number;
}

/**
 * Makes the dossier of an act as things stand now (Decision D96): what it is about, and for who is about to sign it
 * also what they should know. Of an act that needs files there is none.
 *
 * @param values the act's arguments, JSON, without a dossier
 * @returns the lines; a refusal when the act's partner, request or cell cannot be found
 * @throws {ArgumentError} when the arguments cannot be read
 */
export async function readDossier(
  place: DossierContext,
  name: string,
  values: Values,
  signing?: Signing,
): Promise<AdminOutcome<Dossier>> {
  if (name === "approval.approve" || name === "approval.reject") {
    return await describeDecision(place, name, values);
  }
  const described = await describeAct(place, name, values);
  if (!described.ok || signing === undefined || !isCarried(name)) return described;
  const seesBalances = await maySign(place, signing, "vault.read");
  return {
    ok: true,
    value: [
      // How much gold is free says how much is owed.
      ...described.value.filter(({ name }) => seesBalances || name !== "free"),
      ...await readContext(place, name, values, signing),
    ],
  };
}

/** Whether a role of who signs opens an act, such as one that reads. */
async function maySign(
  { sql }: DossierContext,
  { operatorId }: Signing,
  act: ActName,
): Promise<boolean> {
  const roles = await sql<{ role: Role }[]>`
    select role from operator_roles where operator_id = ${operatorId}::integer`;
  return mayDo(roles.map(({ role }) => role), act);
}

/** The facts of an act, and what belongs to them. */
async function describeAct(
  { sql, cells }: DossierContext,
  name: string,
  values: Values,
): Promise<AdminOutcome<Dossier>> {
  if (!isCarried(name)) return { ok: true, value: [] };
  const act = CATALOGUE[name];
  const input = readArguments(act.parameters, values);
  const subject: Subject<unknown> = {
    input,
    control: sql,
    partner: undefined,
    cell: sql,
  };
  const describe = act.describe as Describe<unknown>;
  if (!("partner" in act.parameters)) return { ok: true, value: await describe(subject) };
  const found = await findPartnerOf({ sql, cells }, values);
  if (!found.ok) return found;
  const partner = found.value;
  const opened = "booking" in act && partner.cellId !== MAIN_CELL
    ? await openCell({ cells }, partner.cellId)
    : undefined;
  if (opened?.ok === false) return opened;
  const cell = opened === undefined ? sql : opened.value.sql;
  return { ok: true, value: await describe({ ...subject, partner, cell }) };
}

interface Done {
  readonly times: number;
  readonly halalas: string | null;
  readonly for_partner: number;
  readonly partner_halalas: string | null;
}

/** What somebody should know who is about to sign: what was done today, and what happens next. */
async function readContext(
  { sql, now }: DossierContext,
  name: string,
  values: Values,
  { id, operatorId }: Signing,
): Promise<Line[]> {
  const nowMs = now();
  const at = new Date(nowMs).toISOString();
  const partner = typeof values["partner"] === "string" ? values["partner"] : null;
  const [done] = await sql<Done[]>`
    select count(*) filter (where is_own)::integer as times,
      (sum(amount) filter (where is_own) * 100)::bigint::text as halalas,
      count(*) filter (where is_partners)::integer as for_partner,
      (sum(amount) filter (where is_partners) * 100)::bigint::text as partner_halalas
    from (
      select operator_id = ${operatorId}::integer as is_own, values ->> 'partner' = ${partner} as is_partners,
        (values ->> 'amount_sar')::numeric as amount
      from acts a, lateral (select arguments::jsonb as values) v
      where name = ${name}
        and signed_at >= date_trunc('day', ${at}::timestamptz, 'Asia/Riyadh')
        and exists (select from audit_log l where l.act_id = a.act_id and l.action = a.name)
    ) today`;
  const { times, halalas, for_partner, partner_halalas } = done!;
  const timesOf = (times: number, halalas: string | null) => ({
    times,
    ...halalas !== null && { sar: formatHalalas(BigInt(halalas)) },
  });
  const signed = { id, name, argumentsText: JSON.stringify(values), signedAtMs: nowMs };
  const rule = await readPeopleSince(sql) === null
    ? undefined
    : await findRule(sql, { signed, operatorId });
  return [
    context("today", timesOf(times, halalas)),
    ...partner === null ? [] : [context("today_partner", timesOf(for_partner, partner_halalas))],
    ...rule === undefined
      ? [context("next", { word: "at_once" })]
      : [context("next", { word: "second_person" }), context("needs", { roles: rule.approvers })],
  ];
}

/**
 * The dossier of a decision: the request as it stands now, by whom, and what comes of it.
 *
 * @param known the facts of the request as they are now, where they were read before
 */
export async function describeDecision(
  place: DossierContext,
  name: "approval.approve" | "approval.reject",
  values: Values,
  known?: Dossier,
): Promise<AdminOutcome<Dossier>> {
  const { sql, environment, now } = place;
  const filter = { nowMs: now(), id: String(values["request"]) };
  const [request] = await listApprovals(sql, environment, filter);
  if (request === undefined) return { ok: true, value: [] };
  const described = known === undefined
    ? await describeAct(place, request.act, request.arguments)
    : { ok: true as const, value: known };
  if (!described.ok) return described;
  const { act, requester, requestedAtMs, expiresAtMs } = request;
  const before = asDossier(JSON.parse(request.facts));
  const difference = name === "approval.reject"
    ? undefined
    : before && firstDifference(before, described.value);
  const next = name === "approval.reject"
    ? "rejected"
    : difference !== undefined
    ? "becomes_void"
    : isForRequester(act as never, JSON.stringify(request.arguments))
    ? "for_requester"
    : "at_once";
  return {
    ok: true,
    value: [
      line("act", { act }),
      ...described.value,
      ...typeof values["reason"] === "string" ? [line("reason", { text: values["reason"] })] : [],
      line("asked_by", { text: requester }),
      line("asked_at", { at: formatTime(requestedAtMs) }),
      line("until", { at: formatTime(expiresAtMs) }),
      ...difference === undefined ? [] : [difference],
      context("next", { word: next }),
    ],
  };
}
