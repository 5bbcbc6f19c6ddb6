import { readApprovalPolicy, WAITING_NAMES } from "@sabika/office/acts";
import type { Page } from "../call.ts";
import { duration } from "../languages/languages.ts";
import { Code } from "../layout/inline.tsx";
import { file, oneOnly } from "../layout/file.ts";
import { Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";

/** Which acts need a second person, and who that may be; changed by two alone. */
export const policy: Page = {
  path: "/policy",
  act: "policy.read",
  entry: "policy",
  async show(call) {
    const { database: { sql }, language, words } = call;
    const { rules, waitSeconds } = await readApprovalPolicy(sql);
    const { policy, approvals } = words;
    return {
      title: words.pages.policy,
      content: (
        <>
          <p>{policy.waits(duration(language, waitSeconds))}</p>
          <p>
            <a href={`/${language}/policy.csv`}>{words.orders.export}</a>
          </p>
          <ActForm call={call} act="policy.time" />
          <Table
            caption={policy.caption}
            empty={words.none}
            rows={rows(rules)}
            columns={[
              { head: approvals.act, cell: (one) => <Code text={one.act} /> },
              {
                head: policy.conditions,
                cell: ({ conditions }) =>
                  conditions.length === 0 ? policy.always : conditions.map((one) => (
                    <>
                      <Code text={one} />
                      <br />
                    </>
                  )),
              },
              {
                head: policy.approvers,
                cell: (one) => one.approvers.map((role) => words.roles[role]).join(", "),
              },
              {
                head: approvals.decide,
                cell: ({ act }) =>
                  act.startsWith("policy.")
                    ? <span class="soft">{policy.fixed}</span>
                    : <ActForm call={call} act="policy.remove" given={{ act }} />,
              },
            ]}
          />
          <section class="card narrow" aria-labelledby="rule">
            <h2 id="rule">{policy.rule}</h2>
            <ActForm
              call={call}
              act="policy.set"
              options={{ act: WAITING_NAMES.map((name) => [name, name]) }}
              isTall
            />
          </section>
        </>
      ),
    };
  },
};

/** The same as a file. */
export const policyFile = file<Rules[number]>({
  ...{ path: "/policy.csv", act: "policy.read", name: "policy" },
  columns: [
    ["act", (one) => one.act],
    ["conditions", (one) => one.conditions.join("; ")],
    ["approvers", (one) => one.approvers.join(" ")],
  ],
  pages: async ({ database: { sql } }) => oneOnly(rows((await readApprovalPolicy(sql)).rules)),
});

type Rules = Awaited<ReturnType<typeof readApprovalPolicy>>["rules"];

/** Those of the policy itself last: nobody changes them. */
const rows = (rules: Rules) =>
  rules.toSorted((a, b) =>
    Number(a.act.startsWith("policy.")) - Number(b.act.startsWith("policy."))
  );
