import { setTimeout as pause } from "node:timers/promises";
import { ROLES } from "@sabika/terms";
import { type Violation, withoutCalls } from "../support/history/checker.ts";
import { envAtOffice, runOperator } from "../support/run_operator.ts";
import type { TestStack } from "../support/stack/stack_for_tests.ts";
import { addPerson } from "../support/test_people.ts";
import type { Places } from "./places.ts";

/** The environments of the operator's command as each of two people, at the office. */
export type PeoplesEnvironments = readonly [Record<string, string>, Record<string, string>];

/** Registers two people with their keys; from then on acts need a person. */
export async function openPeople({ admin, stack }: TestStack, folder: string) {
  const environments = ["amal", "badr"].map(async (name) => {
    const person = await addPerson(admin, name, ROLES, { breakGlass: "a run's people" });
    return await envAtOffice(stack.office!.url, folder, person);
  });
  return await Promise.all(environments) as unknown as PeoplesEnvironments;
}

/** How many counts of the vault were asked for, and the ids of those that the office has recorded. */
interface CountsMade {
  asked: number;
  readonly acknowledged: string[];
}

/** A request that waited for a second person, who decided. */
interface Decision {
  readonly request: string;
  readonly verb: "approve" | "reject";
  /** Whether the office said that it is decided; otherwise the person does not know. */
  readonly isAcknowledged: boolean;
}

const EVERY_MS = 1_000;
/** A count of the vault after so many requests. */
const REQUESTS_A_COUNT = 5;
const ONE_IN_SO_MANY_IS_REJECTED = 4;
const FIRST_SECONDS = 86_401;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Lets one person ask for acts that need two, and count the vault, and the other decide, until it is
 * stopped.
 */
export function startPeople(
  [amal, badr]: PeoplesEnvironments,
  { control }: Pick<Places, "control">,
) {
  const decisions: Decision[] = [];
  const counts: CountsMade = { asked: 0, acknowledged: [] };
  let isOver = false;
  const deciding = (async () => {
    const bars = await control.database.sql<{ serial: string }[]>`select serial from vault_bars`;
    const seen = bars.flatMap(({ serial }) => ["--bar", serial]);
    for (let seconds = FIRST_SECONDS; !isOver; await pause(EVERY_MS)) {
      if (seconds % REQUESTS_A_COUNT === 0) {
        counts.asked += 1;
        const counted = await runOperator(["vault", "count", "record", ...seen, "--json"], amal);
        if (counted.code === 0) counts.acknowledged.push(JSON.parse(counted.stdout).id);
      }
      const asked = await runOperator(["policy", "time", `${seconds++}s`, "--json"], amal);
      const [request] = UUID.exec(asked.stderr) ?? [];
      if (asked.code !== 3 || request === undefined) continue;
      const isRejected = seconds % ONE_IN_SO_MANY_IS_REJECTED === 0;
      const verb = isRejected ? "reject" : "approve";
      const more = isRejected ? ["--reason", "a slip"] : [];
      const decided = await runOperator(["approval", verb, request, ...more, "--json"], badr);
      decisions.push({ request, verb, isAcknowledged: decided.code === 0 });
    }
  })();
  return {
    decisions,
    counts,
    stop() {
      isOver = true;
      return deciding;
    },
    /** Reads what was done, and judges it. */
    async judge(): Promise<Violation[]> {
      const { sql } = control.database;
      const done = await sql<DoneAct[]>`
        select act_id::text as request, count(*)::integer as times from audit_log
        where action = 'policy.time' and act_id is not null group by act_id`;
      const [state] = await sql<WaitingTime[]>`
        select approval_seconds as seconds, (
          select (detail::jsonb ->> 'seconds')::integer from audit_log
          where action = 'policy.time' order by audit_id desc limit 1) as logged from office`;
      const kept = await sql<{ id: string }[]>`select count_id::text as id from vault_counts`;
      return [
        ...judgeDecisions(decisions, done, state!),
        ...judgeCounts(counts, kept.map(({ id }) => id)),
      ];
    },
  };
}

/** An act of the audit log, by the id of its request, and how often it was done. */
interface DoneAct {
  readonly request: string;
  readonly times: number;
}

/** How long a request waits, in the office and by the last entry of the log. */
interface WaitingTime {
  readonly seconds: number;
  readonly logged: number | null;
}

/** What was acknowledged was done, once; nothing was without two people; no act is without its entry; pure. */
export function judgeDecisions(
  decisions: readonly Decision[],
  done: readonly DoneAct[],
  { seconds, logged }: WaitingTime,
): Violation[] {
  const approved = decisions.filter(({ verb }) => verb === "approve");
  const isApproved = new Set(approved.map(({ request }) => request));
  const isDone = new Set(done.map(({ request }) => request));
  return [
    ...approved.filter(({ isAcknowledged, request }) => isAcknowledged && !isDone.has(request))
      .map(({ request }) => withoutCalls("I6", `the act of an approval is lost: ${request}`)),
    ...done.filter(({ request }) => !isApproved.has(request))
      .map(({ request }) => withoutCalls("I10", `an act was done without two: ${request}`)),
    ...done.filter(({ times }) => times > 1)
      .map(({ request }) => withoutCalls("I5", `an act was done twice: ${request}`)),
    ...logged === null || logged === seconds
      ? []
      : [withoutCalls("I6", `the office waits ${seconds} s, its log says ${logged}`)],
  ];
}

/** What was acknowledged is there, and no more than was asked for; pure. */
export function judgeCounts(
  { asked, acknowledged }: Readonly<CountsMade>,
  kept: readonly string[],
): Violation[] {
  return [
    ...acknowledged.filter((id) => !kept.includes(id))
      .map((id) => withoutCalls("I6", `a count is lost: ${id}`)),
    ...kept.length > asked
      ? [withoutCalls("I5", `${asked} counts were asked for, ${kept.length} are kept`)]
      : [],
  ];
}
