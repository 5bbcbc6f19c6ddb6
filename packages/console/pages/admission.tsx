import { readSigningKeyOf, readSigningRequest } from "@sabika/identity/certificates";
import type { ActArguments } from "@sabika/identity/signatures";
import { readWebhookUrl } from "@sabika/office/partners";
import { findPartner } from "@sabika/service/partners";
import {
  type AdminOutcome,
  readClientId,
  readIban,
  readPartnerName,
  TERM_ENTRIES,
} from "@sabika/terms";
import { readCidr } from "@sabika/terms/addresses";
import type { Call, Page, Shown } from "../call.ts";
import { fieldOf, type Fields, readArguments } from "./act_arguments.ts";
import { ActFields } from "./act_form.tsx";
import { readFields } from "./acts.tsx";
import { stageAct } from "./staged_act.tsx";

const PATH = "/admission";
const STEPS = ["who", "keys", "reach"] as const;
type Step = (typeof STEPS)[number];

/** The first step of an admission: who the partner is. */
export const admission: Page = {
  path: PATH,
  act: "partner.create",
  show: (call) => Promise.resolve(showStep(call, "who", {})),
};

/**
 * The later steps of an admission. Each is a form that carries the answers of the steps before; the last
 * leads to the act, which is shown whole and signed.
 */
export const admissionStep: Page = {
  path: PATH,
  method: "POST",
  act: "partner.create",
  async show(call) {
    const fields = await readFields(call);
    const step = STEPS.find((known) => known === fields["step"]?.[0]);
    if (step === undefined) return undefined;
    const input = readArguments("partner.create", fields);
    const mistake = await mistakeIn(call, step, input);
    if (mistake !== undefined) return showStep(call, step, withoutPrivateKeys(fields), mistake);
    const next = STEPS[STEPS.indexOf(step) + 1];
    if (next !== undefined) return showStep(call, next, fields);
    const back = `/${call.language}/partners`;
    const staged = await stageAct(call, { name: "partner.create", input, back });
    return staged.ok ? staged.value : showStep(call, step, fields, staged.detail);
  },
};

/** Returns the first mistake in a step's input, in words; undefined when there is none. */
async function mistakeIn(
  { office: { admin }, environment }: Call,
  step: Step,
  input: ActArguments,
): Promise<string | undefined> {
  const text = (name: string) => typeof input[name] === "string" ? input[name] : "";
  const clientId = text("client_id");
  const checks: AdminOutcome<unknown>[] = [];
  if (step === "who") {
    checks.push(readClientId(clientId), readPartnerName(text("name")), readIban(text("iban")));
    if (await findPartner(admin.database.sql, clientId) !== undefined) {
      return `there is a partner "${clientId}" already`;
    }
  } else if (step === "keys") {
    if (text("csr")) checks.push(await readSigningRequest(text("csr"), clientId));
    if (text("signing_key")) {
      checks.push(await readSigningKeyOf(clientId, text("signing_key"), environment));
    }
  } else {
    const { addresses } = input;
    if (Array.isArray(addresses)) {
      checks.push(...addresses.map((address) => readCidr(String(address))));
    }
    checks.push(await readWebhookUrl(admin, text("webhook_url")));
  }
  const wrong = checks.find(({ ok }) => !ok);
  return wrong?.ok === false ? wrong.detail : undefined;
}

/** Leaves out fields with a private key that was pasted by mistake, so that it is not shown again. */
function withoutPrivateKeys(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, texts]) =>
      !texts.some((text) => text.includes("PRIVATE KEY"))
    ),
  );
}

function showStep(call: Call, step: Step, fields: Fields, mistake?: string): Shown {
  const { language, words: { admission, pages } } = call;
  const number = STEPS.indexOf(step) + 1;
  const stepFields = ARGUMENTS[step].map(fieldOf);
  return {
    title: admission.title,
    status: mistake === undefined ? 200 : 400,
    content: (
      <>
        <ol class="steps">
          {STEPS.map((name) => (
            <li aria-current={name === step ? "step" : undefined}>{admission.steps[name]}</li>
          ))}
          <li>{admission.sign}</li>
        </ol>
        <form class="card tall" method="post" action={`/${language}${PATH}`}>
          <h2>{`${number}. ${admission.steps[step]}`}</h2>
          {mistake !== undefined && (
            <p role="alert" class="wrong">
              <bdi>{mistake}</bdi>
            </p>
          )}
          <input type="hidden" name="step" value={step} />
          {Object.entries(fields).filter(([name]) =>
            ALL_FIELDS.includes(name) && !stepFields.includes(name)
          )
            .map(([name, [value = ""]]) => <input type="hidden" name={name} value={value} />)}
          <StepFields call={call} step={step} fields={fields} />
          <button type="submit">{admission.next}</button>
        </form>
        <p>
          <a href={`/${language}/partners`}>{pages.partners}</a>
        </p>
      </>
    ),
  };
}

const LIMITS = TERM_ENTRIES.map(([, term]) => term).filter(({ isLimit }) => isLimit);

/** The arguments that each step asks for. */
const ARGUMENTS: Readonly<Record<Step, readonly string[]>> = {
  who: ["client_id", "name", "iban"],
  keys: ["csr", "signing_key", "with_keys"],
  reach: [
    "webhook_url",
    "addresses",
    ...LIMITS.map(({ name }) => name),
    "rates.signed.perSecond",
    "rates.signed.burst",
  ],
};
const ALL_FIELDS = Object.values(ARGUMENTS).flat().map(fieldOf);

function StepFields({ call: { environment, words }, step, fields }: {
  call: Call;
  step: Step;
  fields: Fields;
}) {
  const isProduction = environment === "production";
  // In production nobody but the partner may have its private keys.
  const names = ARGUMENTS[step].filter((name) => name !== "with_keys" || !isProduction);
  return (
    <ActFields
      words={words}
      act="partner.create"
      idSuffix="admission"
      names={names}
      values={Object.fromEntries(names.map((name) => [name, fields[fieldOf(name)]?.[0]]))}
      hints={isProduction ? { signing_key: words.hints.key } : {}}
      required={isProduction ? ["addresses"] : []}
    />
  );
}
