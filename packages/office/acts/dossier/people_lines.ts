import type { Role } from "@sabika/terms";
import { type ApprovalRule, readApprovalPolicy, ruleOf } from "../approval_rules.ts";
import { change, type Dossier, line, type Value } from "./line.ts";
import { keyOf } from "./partner_lines.ts";
import type { Describe } from "./subject.ts";

interface Named {
  readonly operator: string;
}

interface Person {
  readonly enabled: boolean;
  readonly roles: readonly Role[];
  /** How many valid keys. */
  readonly keys: number;
}

const stateOf = (enabled: boolean): Value => ({ word: enabled ? "enabled" : "disabled" });

/** Makes the dossier of an act about a person: who it is, then these lines, without what they replace. */
function ofPerson<INPUT extends Named>(
  describe: (input: INPUT, person: Person) => Dossier | Promise<Dossier>,
): Describe<INPUT> {
  return async ({ control, input }) => {
    const named = line("person", { text: input.operator });
    const [person] = await control<Person[]>`
      select enabled, to_jsonb(array(select role from operator_roles r
          where r.operator_id = o.operator_id order by role)) as roles,
        (select count(*)::integer from operator_keys k where k.operator_id = o.operator_id
          and coalesce(valid_until > now(), true)) as keys
      from operators o where name = ${input.operator}`;
    if (person === undefined) return [named];
    const lines = await describe(input, person);
    const kept = [
      line("status", stateOf(person.enabled)),
      line("roles", { roles: person.roles }),
      line("keys", { count: person.keys }),
    ].filter(({ name }) => !lines.some((line) => line.name === name));
    return [named, ...lines, ...kept];
  };
}

/** A person who is added. */
export const describeNewPerson: Describe<Named & { readonly roles: readonly Role[] | undefined }> =
  ({ input: { operator, roles } }) => [
    line("person", { text: operator }),
    line("roles", { roles: roles ?? [] }),
  ];

/** Whether a person may act. */
export const describeEnabled = (enabled: boolean): Describe<Named> =>
  ofPerson((_, person) => [change("status", stateOf(person.enabled), stateOf(enabled))]);

/** A role more, or one less. */
export const describeRole = (isGiven: boolean): Describe<Named & { readonly role: Role }> =>
  ofPerson(({ role }, { roles }) => {
    const others = roles.filter((known) => known !== role);
    const after = isGiven ? [...others, role].sort() : others;
    return [change("roles", { roles }, { roles: after })];
  });

/** A key more. */
export const describeOperatorKey: Describe<Named & { readonly key: string }> = ofPerson(
  async ({ operator, key }) => [line("key_id", await keyOf(key, operator))],
);

/** A key in place of the one that signs. */
export const describeOwnKey: Describe<{ readonly key: string }> = async ({ input }) => [
  line("key_id", await keyOf(input.key, "")),
];

/** A key that ends. */
export const describeEndOfKey: Describe<Named & { readonly key_id: string }> = ofPerson(
  ({ key_id }) => [line("key_id", { text: key_id })],
);

/** A link by which a person registers a passkey. */
export const describeLink: Describe<Named & { readonly link_sha256: string }> = ofPerson(
  ({ link_sha256 }) => [line("link", { text: link_sha256 })],
);

/** An identity at the company's provider. */
export const describeIdentity: Describe<
  Named & { readonly issuer: string; readonly subject: string }
> = ofPerson(({ issuer, subject }) => [
  line("issuer", { text: issuer }),
  line("subject", { text: subject }),
]);

const NOBODY: Value = { word: "none" };

/** A rule for an act, in place of the one that it has. */
export const describeRule: Describe<ApprovalRule> = async (subject) => {
  const { act, conditions, approvers } = subject.input;
  const before = await ruleOf(subject.control, act);
  return [
    line("act", { act }),
    change(
      "conditions",
      before === undefined ? NOBODY : { conditions: before.conditions },
      { conditions },
    ),
    change("approvers", before === undefined ? NOBODY : { roles: before.approvers }, {
      roles: approvers,
    }),
  ];
};

/** A rule that is taken away. */
export const describeNoRule: Describe<{ readonly act: string }> = async (subject) => {
  const { act } = subject.input;
  const before = await ruleOf(subject.control, act);
  return [
    line("act", { act }),
    change("conditions", before === undefined ? NOBODY : { conditions: before.conditions }, NOBODY),
    change("approvers", before === undefined ? NOBODY : { roles: before.approvers }, NOBODY),
  ];
};

/** How long a request waits, from now on. */
export const describeWait: Describe<{ readonly seconds: number }> = async ({ control, input }) => {
  const { waitSeconds } = await readApprovalPolicy(control);
  return [change("wait", { ms: waitSeconds * 1_000 }, { ms: input.seconds * 1_000 })];
};

/** How many administrators stay, from now on. */
export const describeAdministrators: Describe<{ readonly least: number }> = async (
  { control, input },
) => {
  const { leastAdministrators: before } = await readApprovalPolicy(control);
  return [change("least_administrators", { count: before }, { count: input.least })];
};
