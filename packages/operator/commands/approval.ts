import { buildRouteMap } from "@stricli/core";
import type { Approval } from "@sabika/office/acts";
import { type Role, ROLES } from "@sabika/terms";
import { APPROVAL_POLICY, APPROVAL_WHOLE, APPROVALS } from "@sabika/office/reads";
import { acting } from "../command/acting.ts";
import { confirm } from "../command/ask.ts";
import { columnsOf, membersOf } from "../command/columns.ts";
import { command, neededFlag, switchFlag } from "../command/command.ts";
import { type Json, time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { duration, role, text, whole } from "../command/parsers.ts";
import { several, severalOf } from "../command/several.ts";
import { list as lines } from "../command/table.ts";
import { dossierLines } from "../connect/dossier_lines.ts";
import type { Session } from "../connect/session.ts";
import { notFound, RefusedError } from "../outcome.ts";
import { findOne, readItems, readOne } from "../reads/read.ts";

const ID = ["ID", "The request's id, as in `approval list`"] as const;

const list = command<{ all: boolean }, []>({
  brief: "List what waits for a second person",
  examples: ["approval list", "approval list --all"],
  flags: { all: switchFlag("Those too that are decided") },
  async run(session, { all }) {
    const asking = { query: { state: all ? "all" : undefined } };
    const { data: items } = await readItems(session, APPROVALS, asking);
    return listing(items, columnsOf(APPROVALS, { arguments: describeArguments }));
  },
});

const show = command<object, [string]>({
  brief: "Show a request: what, by whom, and the facts that it was made on",
  examples: ["approval show 01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
  args: [ID],
  async run(session, _flags, id) {
    const approval = await find(session, id);
    const { sha256, ...members } = membersOf(APPROVAL_WHOLE, approval);
    return {
      json: { ...members, facts: JSON.parse(approval.facts) as Json, sha256: sha256! },
      text: lines([
        ["act", approval.act],
        ...linesOf(approval),
        ["asked by", approval.requester],
        ["asked at", time(approval.requestedAtMs)],
        ["until", time(approval.expiresAtMs)],
        ["state", approval.state],
        ["decided by", approval.decider],
        ["reason", approval.reason],
      ]),
    };
  },
});

const approve = command<object, [string]>({
  brief: "Approve what somebody else asked for: it is done at once, once",
  more:
    "You sign what was asked for, with its facts as they are now: at a terminal they are shown\n" +
    "before you are asked. When one has changed since the request, that is void. What shows a\n" +
    "secret, or needs one, is done when whoever asked runs their command again.",
  examples: ["approval approve 01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
  args: [ID],
  async run(session, _flags, id) {
    const approval = await find(session, id);
    const { act, requester, sha256 } = approval;
    const ask = () =>
      confirm(session, `${requester} asks for ${act} ${describe(approval)}. Approve it?`);
    const decided = await session.decide("approval.approve", { request: id, sha256 }, act, ask);
    if (decided.state === "void") throw new RefusedError("void", decided.reason);
    return {
      json: { id, act, state: decided.state },
      text: `${act} ${describe(approval)}, which ${requester} asked for, is ${decided.state}` +
        `${decided.state === "approved" ? `: ${requester} runs it again to have it done` : ""}\n`,
    };
  },
});

const reject = command<{ reason: string }, [string]>({
  brief: "Reject a request, or take your own back",
  examples: ["approval reject 01a1f85e-29a6-7440-a1da-ccc3cd98406e --reason 'not agreed'"],
  flags: { reason: neededFlag(text, "Why", "TEXT", { question: "Why?" }) },
  args: [ID],
  async run(session, { reason }, id) {
    const { act } = await find(session, id);
    const { state } = await session.decide("approval.reject", { request: id, reason }, act);
    return { json: { id, act, state }, text: `${act} is rejected\n` };
  },
});

/** `sabika approval …` */
export const approval = buildRouteMap({
  docs: { brief: "What waits for a second person" },
  routes: { list, show, approve, reject },
});

async function find(session: Session, id: string): Promise<Approval> {
  const found = await findOne(session, APPROVAL_WHOLE, { path: { id } });
  if (found === undefined) throw notFound(`request ${id}`);
  return found;
}

/** The dossier, or the arguments of a request from before dossiers, indented. */
function linesOf({ dossier, arguments: input }: Approval): [name: string, value: string][] {
  if (dossier === null) {
    return Object.entries(input).map(([name, value]) => [
      `  ${name}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
  }
  return dossierLines(dossier).map(([label, value]) => [`  ${label}`, value]);
}

const describe = (request: Approval) => describeArguments(request.arguments);

function describeArguments(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ").replace(/-----BEGIN[^]*?-----END [A-Z ]+-----\s*/g, "(PEM)");
}

const ACT = ["ACT", "An act's name, such as funding.credit"] as const;

const showPolicy = command<object, []>({
  brief: "Show which acts need a second person, when, and who that may be",
  examples: ["policy show"],
  async run(session) {
    const { rules, waitSeconds, leastAdministrators } = await readOne(session, APPROVAL_POLICY);
    const { json, text } = listing(rules, [
      ["act", "ACT", (rule) => rule.act],
      [
        "conditions",
        "WHEN",
        (rule) => rule.conditions,
        (rule) => rule.conditions.join(" or ") || "always",
      ],
      ["approvers", "APPROVED BY", (rule) => rule.approvers, (rule) => rule.approvers.join(", ")],
    ]);
    return {
      json: { rules: json, wait_seconds: waitSeconds, least_administrators: leastAdministrators },
      text: `${text}\na request waits ${waitSeconds / 3600} hours\n` +
        `at least ${leastAdministrators} administrators stay\n`,
    };
  },
});

const setPolicy = command<{ when?: readonly string[]; by?: readonly Role[] }, [string]>({
  brief: "Set when an act needs a second person, and who that may be",
  more:
    "A condition is 'ARGUMENT above 5', 'ARGUMENT outside 1..5' or 'ARGUMENT is TEXT'; several are\n" +
    "either of them, none is always. The arguments of an act stand in its requests.\n" +
    "'ARGUMENT above 5 a day', also 'a day by person' and 'a day by partner', is a sum of what one\n" +
    "person alone did that day in Riyadh, with this act. 'spread_percent moved above 0.5 a day by\n" +
    "partner' sums how far a rate was moved, up or down.",
  examples: [
    "policy set funding.credit --when 'amount_sar above 500000' --by treasury",
    "policy set funding.credit --when 'amount_sar above 900000 a day by person' --by treasury",
    "policy set iban.set --by partners --by administrator",
  ],
  flags: {
    when: several("A condition", "CONDITION"),
    by: severalOf(role, `Who approves: ${ROLES.join(", ")}`, "ROLE"),
  },
  args: [ACT],
  async run(session, { when: conditions = [], by: approvers = [] }, act) {
    await session.act("policy.set", { act, conditions, approvers });
    return {
      json: { act, conditions: [...conditions], approvers: [...approvers] },
      text: `${act} needs two: ${conditions.join(" or ") || "always"}\n`,
    };
  },
});

const removePolicy = acting("policy.remove", {
  brief: "Let one person do an act",
  examples: ["policy remove withdrawal.completed"],
  args: { act: ACT },
  json: ({ act }) => ({ act, removed: true }),
  text: ({ act }) => `${act} needs one person`,
});

const setTime = acting("policy.time", {
  brief: "Set how long a request waits for a second person",
  examples: ["policy time 12h"],
  args: { seconds: ["TIME", "From 1m to 30d", (input) => Math.round(duration(input) / 1000)] },
  json: ({ seconds }) => ({ wait_seconds: seconds }),
  text: ({ seconds }) => `a request waits ${seconds} s`,
});

const setAdministrators = acting("policy.administrators", {
  brief: "Set how many administrators stay: nobody disables one below that",
  more: "An administrator counts who is enabled and has a valid key. --break-glass passes it.",
  examples: ["policy administrators 3"],
  args: { least: ["NUMBER", "From 2 to 10", whole] },
  json: ({ least }) => ({ least_administrators: least }),
  text: ({ least }) => `at least ${least} administrators stay`,
});

/** `sabika policy …` */
export const policy = buildRouteMap({
  docs: { brief: "Which acts need a second person" },
  routes: {
    show: showPolicy,
    set: setPolicy,
    remove: removePolicy,
    time: setTime,
    administrators: setAdministrators,
  },
});
