import { type ApprovalRule, readApprovalPolicy } from "@sabika/office/acts";
import { mayDo } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import { Code } from "../layout/inline.tsx";
import { file } from "../layout/file.ts";
import { Table } from "../layout/table.tsx";
import { fieldOf } from "./act_arguments.ts";
import { ActForm } from "./act_form.tsx";
import { addressOf } from "./sign_act.tsx";

/** The rules by which acts need a second person, with forms to change them, which takes two people. */
export const policy: Page = {
  path: "/policy",
  act: "policy.read",
  entry: "policy",
  async show(call) {
    const { database: { sql }, language, words } = call;
    const { rules, waitSeconds, leastAdministrators } = await readApprovalPolicy(sql);
    const { policy, approvals } = words;
    return {
      title: words.pages.policy,
      content: (
        <>
          <p>{fill(policy.waits, { time: duration(language, waitSeconds) })}</p>
          <p>
            <a href={`/${language}/policy.csv`}>{words.orders.export}</a>
          </p>
          <ActForm call={call} act="policy.time" />
          <p>{fill(policy.administrators, { count: leastAdministrators })}</p>
          <ActForm call={call} act="policy.administrators" />
          <Table
            caption={policy.caption}
            empty={words.none}
            rows={rows(rules)}
            columns={[
              { head: approvals.act, cell: (rule) => <Code text={rule.act} /> },
              {
                head: policy.conditions,
                cell: ({ conditions }) =>
                  conditions.length === 0 ? policy.always : conditions.map((condition) => (
                    <>
                      <Code text={condition} />
                      <br />
                    </>
                  )),
              },
              {
                head: policy.approvers,
                cell: (rule) => rule.approvers.map((role) => words.roles[role]).join(", "),
              },
              {
                head: approvals.decide,
                isAct: true,
                cell: (rule) =>
                  rule.act.startsWith("policy.") ? <span class="soft">{policy.fixed}</span> : (
                    <>
                      {mayDo(call.viewer.roles, "policy.set") && (
                        <a href={changeOf(call, rule)}>{words.policy.change}</a>
                      )}
                      <ActForm call={call} act="policy.remove" fixed={{ act: rule.act }} />
                    </>
                  ),
              },
            ]}
          />
          <section class="card narrow" aria-labelledby="rule">
            <h2 id="rule">{policy.rule}</h2>
            <ActForm call={call} act="policy.set" isTall />
          </section>
        </>
      ),
    };
  },
};

/** The address of the form that changes a rule, filled in with what holds now. */
const changeOf = (call: Call, { act, conditions, approvers }: ApprovalRule) =>
  addressOf(call, {
    act: ["policy.set"],
    back: [`/${call.language}/policy`],
    fixed: ["act"],
    [fieldOf("act")]: [act],
    [fieldOf("conditions")]: [conditions.join("\n")],
    [fieldOf("approvers")]: approvers,
  });

/** The rules as a CSV file. */
export const policyFile = file<ApprovalRule>({
  path: "/policy.csv",
  act: "policy.read",
  name: "policy",
  columns: [
    ["act", (rule) => rule.act],
    ["conditions", (rule) => rule.conditions.join("; ")],
    ["approvers", (rule) => rule.approvers.join(" ")],
  ],
  async *pages({ database: { sql } }) {
    yield rows((await readApprovalPolicy(sql)).rules);
  },
});

/** Sorts the rules for the policy itself last: they cannot be changed. */
const rows = (rules: readonly ApprovalRule[]) =>
  rules.toSorted((a, b) =>
    Number(a.act.startsWith("policy.")) - Number(b.act.startsWith("policy."))
  );
