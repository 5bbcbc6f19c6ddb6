import type { ConditionKind, ReadNotification } from "@sabika/service/notifications";
import { parseTime } from "@sabika/protocol";
import { moment } from "../format.ts";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";

/** What of a notification is said. */
export type Said = Pick<ReadNotification, "kind" | "facts">;

/** The page that has what a condition is about. */
const CONDITION_PATHS: Readonly<Record<ConditionKind, string>> = {
  price_stale: "/prices",
  recount_differs: "/books",
  recount_missing: "/books",
  endpoint_down: "/endpoints?status=down",
  credential_ending: "/credentials?state=ending",
  credential_requested: "/credential-requests?status=pending",
  reserve_low: "/vault",
  count_differs: "/counts/differences",
  count_unsigned: "/counts",
  reserve_unattested: "/reserves",
  document_ending: "/documents?state=due",
};

/** Says in one sentence what a notification is about. */
export function sayNotification(
  { notifications, acts, credentials }: Messages,
  said: Said,
): string {
  const { kind, facts } = said;
  const { says } = notifications;
  const name = kind === "approval_done" || kind === "approval_refused"
    ? `approval_${facts["state"]}` as keyof typeof says
    : kind === "recount_missing" && facts["last_at"] === null
    ? "recount_never"
    : kind;
  const values = Object.entries(facts).map(([name, value]) => {
    const atMs = name.endsWith("_at") && typeof value === "string" ? parseTime(value) : undefined;
    const text = atMs === undefined ? value ?? "–" : moment(atMs);
    return [name, text] as const;
  });
  const act = facts["act"] as keyof typeof acts | undefined;
  const credential = facts["credential"] as keyof typeof credentials | undefined;
  return fill(says[name], {
    ...Object.fromEntries(values),
    ...act !== undefined && { act: acts[act] ?? act },
    ...credential !== undefined && { credential: credentials[credential] ?? credential },
  });
}

/** The path, after the language, of the page that has what a notification is about. */
export function pathOfNotification({ kind }: Pick<Said, "kind">): string {
  if (kind === "approval_waiting") return "/approvals";
  return kind === "approval_done" || kind === "approval_refused"
    ? "/approvals?state=all"
    : CONDITION_PATHS[kind];
}
