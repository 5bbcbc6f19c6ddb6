import { listOperators } from "@sabika/service/audit";
import { ROLES } from "@sabika/terms";
import { OPERATORS } from "@sabika/office/reads";
import type { OperatorView } from "@sabika/office/wire";
import type { Call, Page } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { Id, Moment, None, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";

/** Everybody who acts for the operator. */
export const people = listPages({
  read: OPERATORS,
  entry: "people",
  look: (call) => ({
    cells: {
      name: ({ name }) => (
        <a href={`/${call.language}/people/${name}`}>
          <bdi>{name}</bdi>
        </a>
      ),
      enabled: (person) => <Enabled call={call} person={person} />,
      roles: (person) => rolesOf(call, person),
      keys: ({ keys }) => keys.filter((key) => isValid(key, call.now())).length,
    },
  }),
  below: (call) => <NewPerson call={call} />,
});

function NewPerson({ call }: { call: Call }) {
  const { words } = call;
  return (
    <section class="card narrow" aria-labelledby="add">
      <h2 id="add">{words.acts["operator.add"]}</h2>
      <ActForm call={call} act="operator.add" isTall />
    </section>
  );
}

/** One person: roles, keys, and the link by which they register a passkey. */
export const person: Page = {
  path: "/people/:person{[a-z0-9][a-z0-9._-]*}",
  act: "operator.read",
  async show(call) {
    const { context, database: { sql }, now, words } = call;
    const [found] = await listOperators(sql, context.req.param("person") ?? "");
    if (found === undefined) return undefined;
    const input = { operator: found.name };
    const nowMs = now();
    return {
      title: found.name,
      content: (
        <>
          <section class="card narrow">
            <p>
              <Enabled call={call} person={found} /> {rolesOf(call, found)}
            </p>
            <div class="acts">
              <ActForm
                call={call}
                act={found.enabled ? "operator.disable" : "operator.enable"}
                fixed={input}
              />
              <ActForm call={call} act="operator.link" fixed={input} />
            </div>
            {found.roles.length < ROLES.length && (
              <ActForm call={call} act="operator.role.add" fixed={input} />
            )}
            {found.roles.length > 0 && (
              <ActForm call={call} act="operator.role.remove" fixed={input} />
            )}
          </section>
          <Table
            section="keys"
            caption={words.people.keys}
            empty={words.none}
            rows={found.keys}
            columns={[
              { head: words.partners.id, cell: (key) => <Id text={key.keyId} /> },
              {
                head: words.people.kind,
                cell: ({ rpId }) =>
                  rpId === null ? words.people.file : fill(words.people.passkey, { host: rpId }),
              },
              { head: words.partners.begins, cell: (key) => <Moment ms={key.validFromMs} /> },
              { head: words.overview.ends, cell: (key) => <Moment ms={key.validUntilMs} /> },
              {
                head: words.approvals.act,
                isAct: true,
                cell: (key) =>
                  isValid(key, nowMs)
                    ? (
                      <ActForm
                        call={call}
                        act="operator.key.end"
                        fixed={{ ...input, key_id: key.keyId }}
                      />
                    )
                    : <None />,
              },
            ]}
          />
        </>
      ),
    };
  },
};

function Enabled({ call: { words: { people } }, person }: { call: Call; person: OperatorView }) {
  return person.enabled
    ? <State word={people.enabled} mood="good" />
    : <State word={people.disabled} mood="bad" />;
}

const rolesOf = ({ words }: Call, { roles }: OperatorView) =>
  roles.map((role) => words.roles[role]).join(", ");

const isValid = ({ validUntilMs }: OperatorView["keys"][number], nowMs: number) =>
  validUntilMs === null || validUntilMs > nowMs;
