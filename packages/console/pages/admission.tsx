import { readSigningKeyOf, readSigningRequest } from "@sabika/identity/certificates";
import type { ActArguments } from "@sabika/identity/signatures";
import { PASSPHRASE } from "@sabika/identity/keys";
import { readHandOver, readWebhookUrl } from "@sabika/office/partners";
import { findPartner } from "@sabika/service/partners";
import { type AdminOutcome, TERM_ENTRIES } from "@sabika/terms";
import type { Call, Page, Shown } from "../call.ts";
import { fieldsIn, LONGEST_ADDRESS, queryOf, withoutPrivateKeys } from "./act_address.ts";
import {
  type FieldMistake,
  fieldOf,
  type Fields,
  type Mistakes,
  readArguments,
} from "./act_arguments.ts";
import { ActFields, neededIn } from "./act_form.tsx";
import { sayRefusal } from "../languages/say_refusal.ts";
import { readFields } from "./form_fields.tsx";
import { leadTo } from "./sign_act.tsx";

const PATH = "/admission";
const STEPS = ["who", "keys", "reach"] as const;
type Step = (typeof STEPS)[number];

/**
 * The steps of an admission. Each is a form that carries the answers of the steps before, which its address
 * has; `step` names the one that was sent.
 */
export const admission: Page = {
  path: PATH,
  act: "partner.create",
  show: (call) => showStep(call, fieldsIn(call.context.req.url)),
};

/** Takes a step's form, and leads to the next; after the last to the act, which is shown whole and signed. */
export const admissionStep: Page = {
  path: PATH,
  method: "POST",
  act: "partner.create",
  returnTo: async (context, language) =>
    `/${language}${PATH}?${queryOf(withoutPrivateKeys(await readFields({ context })))}`,
  async show(call) {
    const { language, context } = call;
    const sent = withoutPrivateKeys(await readFields(call));
    const step = stepOf(sent);
    if (step === undefined) return undefined;
    const isLast = step === STEPS.at(-1) &&
      Object.keys(await mistakesIn(call, step, sent)).length === 0;
    const { step: _, ...fields } = sent;
    const back = `/${language}/partners`;
    if (isLast) {
      const to = fields[ENCRYPT_TO]?.[0]?.trim() || PASSPHRASE;
      const filled = { ...fields, [ENCRYPT_TO]: [to] };
      return await leadTo(call, { ...filled, act: ["partner.create"], back: [back] });
    }
    const address = `/${language}${PATH}?${queryOf(sent)}`;
    return address.length > LONGEST_ADDRESS
      ? await showStep(call, sent)
      : context.redirect(address, 303);
  },
};

const stepOf = (fields: Fields) => STEPS.find((known) => known === fields["step"]?.[0]);

/** Returns what is wrong with a step's fields, by argument. */
async function mistakesIn(call: Call, step: Step, fields: Fields): Promise<Mistakes> {
  const names = namesOf(call, step);
  const needed = neededIn("partner.create", names, offersOf(call));
  const { input, mistakes: all } = readArguments("partner.create", fields, needed);
  const mistakes: Record<string, FieldMistake> = Object.fromEntries([
    ...Object.entries(all).filter(([name]) => names.includes(name)),
    ...(fields["private"] ?? []).map((field) => [field.slice(6), { code: "private_key" }] as const),
  ]);
  for (const [name, check] of await checksOf(call, step, input)) {
    if (!check.ok) {
      mistakes[name] ??= { code: "refused", detail: sayRefusal(call.language, check.detail) };
    }
  }
  return mistakes;
}

/** Checks of a step that take more than the field. */
async function checksOf(
  { office: { admin }, environment }: Call,
  step: Step,
  input: ActArguments,
): Promise<readonly (readonly [name: string, outcome: AdminOutcome<unknown>])[]> {
  const text = (name: string) => typeof input[name] === "string" ? input[name] : "";
  const clientId = text("client_id");
  if (step === "who") {
    if (await findPartner(admin.database.sql, clientId) === undefined) return [];
    const detail = `there is a partner "${clientId}" already`;
    return [["client_id", { ok: false, code: "already_exists", detail }]];
  }
  if (step === "reach") {
    const url = text("webhook_url");
    return url === "" ? [] : [["webhook_url", await readWebhookUrl(admin, url)]];
  }
  const [csr, key] = [text("csr"), text("signing_key")];
  const to = text("encrypt_to") || PASSPHRASE;
  return [
    ["encrypt_to", await readHandOver(admin, to)],
    ...csr === "" ? [] : [["csr", await readSigningRequest(csr, clientId)] as const],
    ...key === ""
      ? []
      : [["signing_key", await readSigningKeyOf(clientId, key, environment)] as const],
  ];
}

/** Shows the step after the one that was sent; or that again, with what is wrong in it. */
async function showStep(call: Call, fields: Fields): Promise<Shown> {
  const { language, words: { act, admission, pages } } = call;
  const sent = stepOf(fields);
  const mistakes = sent === undefined ? {} : await mistakesIn(call, sent, fields);
  const isWrong = Object.keys(mistakes).length > 0;
  const next = sent === undefined ? "who" : STEPS[STEPS.indexOf(sent) + 1] ?? sent;
  const step = isWrong ? sent! : next;
  const number = STEPS.indexOf(step) + 1;
  const stepFields = ARGUMENTS[step].map(fieldOf);
  return {
    title: admission.title,
    status: isWrong ? 400 : 200,
    content: (
      <>
        <ol class="steps">
          {STEPS.map((name) => (
            <li aria-current={name === step ? "step" : undefined}>{admission.steps[name]}</li>
          ))}
          <li>{admission.sign}</li>
        </ol>
        <form class="card tall" method="post" action={`/${language}${PATH}`} novalidate>
          <h2>{`${number}. ${admission.steps[step]}`}</h2>
          {isWrong && <p role="alert" class="wrong">{act.correct}</p>}
          <input type="hidden" name="step" value={step} />
          {Object.entries(fields).filter(([name]) =>
            ALL_FIELDS.includes(name) && !stepFields.includes(name)
          )
            .map(([name, [value = ""]]) => <input type="hidden" name={name} value={value} />)}
          <StepFields call={call} step={step} typed={fields} mistakes={mistakes} />
          <button type="submit">{admission.next}</button>
          <p class="soft">{admission.leave}</p>
        </form>
        <p>
          <a href={`/${language}/partners`}>{pages.partners}</a>
        </p>
      </>
    ),
  };
}

const ENCRYPT_TO = fieldOf("encrypt_to");
const LIMITS = TERM_ENTRIES.map(([, term]) => term).filter(({ isLimit }) => isLimit);

/** The arguments that each step asks for. */
const ARGUMENTS: Readonly<Record<Step, readonly string[]>> = {
  who: ["client_id", "name", "iban"],
  keys: ["csr", "signing_key", "with_keys", "encrypt_to"],
  reach: [
    "webhook_url",
    "addresses",
    ...LIMITS.map(({ name }) => name),
    "rates.signed.perSecond",
    "rates.signed.burst",
  ],
};
const ALL_FIELDS = Object.values(ARGUMENTS).flat().map(fieldOf);

/** The arguments that a step asks for; in production nobody but the partner may have its private keys. */
const namesOf = ({ environment }: Call, step: Step) =>
  ARGUMENTS[step].filter((name) => name !== "with_keys" || environment !== "production");

const offersOf = ({ environment }: Call) =>
  environment === "production" ? { required: ["addresses"] } : {};

function StepFields({ call, step, typed, mistakes }: {
  call: Call;
  step: Step;
  typed: Fields;
  mistakes: Mistakes;
}) {
  const { environment, words } = call;
  const names = namesOf(call, step);
  return (
    <ActFields
      words={words}
      act="partner.create"
      idSuffix="admission"
      names={names}
      typed={typed}
      mistakes={mistakes}
      offers={offersOf(call)}
      hints={environment === "production" ? { signing_key: words.hints.key } : {}}
    />
  );
}
