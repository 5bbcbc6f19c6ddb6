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
import { type Fields, readArguments } from "./act_arguments.ts";
import { Field } from "./act_form.tsx";
import { readFields } from "./acts.tsx";
import { stageAct } from "./staged_act.tsx";
import { termField } from "./term_field.ts";

const PATH = "/admission";
const STEPS = ["who", "keys", "reach"] as const;
type Step = (typeof STEPS)[number];

/** Admission, its first step: who the partner is. */
export const admission: Page = {
  path: PATH,
  act: "partner.create",
  show: (call) => Promise.resolve(shown(call, "who", {})),
};

/**
 * The steps after it. Each is a form that carries what the steps before were told; the last one leads
 * to the act, which is shown whole and signed.
 */
export const admissionStep: Page = {
  path: PATH,
  method: "POST",
  act: "partner.create",
  async show(call) {
    const fields = await readFields(call);
    const step = STEPS.find((one) => one === fields["step"]?.[0]);
    if (step === undefined) return undefined;
    const given = readArguments(fields);
    const mistake = await mistakeIn(call, step, given);
    if (mistake !== undefined) return shown(call, step, withoutPrivateKeys(fields), mistake);
    const next = STEPS[STEPS.indexOf(step) + 1];
    if (next !== undefined) return shown(call, next, fields);
    const back = `/${call.language}/partners`;
    const staged = await stageAct(call, { name: "partner.create", given, back });
    return staged.ok ? staged.value : shown(call, step, fields, staged.detail);
  },
};

/** The first mistake of a step, in words. */
async function mistakeIn(
  { office: { admin }, environment }: Call,
  step: Step,
  given: ActArguments,
): Promise<string | undefined> {
  const text = (name: string) => typeof given[name] === "string" ? given[name] : "";
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
    const { addresses } = given;
    if (Array.isArray(addresses)) checks.push(...addresses.map((one) => readCidr(String(one))));
    checks.push(await readWebhookUrl(admin, text("webhook_url")));
  }
  const wrong = checks.find(({ ok }) => !ok);
  return wrong?.ok === false ? wrong.detail : undefined;
}

/** What was pasted by mistake is not shown again. */
function withoutPrivateKeys(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, texts]) =>
      !texts.some((text) => text.includes("PRIVATE KEY"))
    ),
  );
}

function shown(call: Call, step: Step, fields: Fields, mistake?: string): Shown {
  const { language, words: { admission, pages } } = call;
  const number = STEPS.indexOf(step) + 1;
  const own = NAMES[step];
  return {
    title: admission.title,
    status: mistake === undefined ? 200 : 400,
    content: (
      <>
        <ol class="steps">
          {STEPS.map((one) => (
            <li aria-current={one === step ? "step" : undefined}>{admission.steps[one]}</li>
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
          {Object.entries(fields).filter(([name]) => isCarried(name) && !own.includes(name))
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

/** Each step's own fields. */
const NAMES: Readonly<Record<Step, readonly string[]>> = {
  who: ["given.client_id", "given.name", "given.iban"],
  keys: ["given.csr", "given.signing_key", "flag.with_keys"],
  reach: [
    "lines.addresses",
    "given.webhook_url",
    ...LIMITS.map(({ name, unit }) => `${unit === "count" ? "number" : "given"}.${name}`),
    "number.rates.signed.perSecond",
    "number.rates.signed.burst",
  ],
};
const isCarried = (name: string) => Object.values(NAMES).some((names) => names.includes(name));

function StepFields({ call, step, fields }: { call: Call; step: Step; fields: Fields }) {
  const { environment, words: { admission, partners } } = call;
  const of = (name: string) => {
    const [kind, ...path] = name.split(".");
    const about = "admission";
    const value = fields[name]?.[0];
    return { kind: kind as "given" | "number" | "lines", name: path.join("."), about, value };
  };
  if (step === "who") {
    return (
      <>
        <Field
          {...of("given.client_id")}
          label={admission.clientId}
          hint={admission.clientIdHint}
        />
        <Field {...of("given.name")} label={partners.name} />
        <Field {...of("given.iban")} label={partners.iban} />
      </>
    );
  }
  const optional = { isOptional: true };
  if (step === "keys") {
    return (
      <>
        <Field
          {...{ ...of("given.csr"), ...optional, isLong: true }}
          label={admission.csr}
          hint={admission.csrHint}
        />
        <Field
          {...{ ...of("given.signing_key"), ...optional, isLong: true }}
          label={admission.signingKey}
          hint={environment === "production" ? admission.signingKeyProof : admission.signingKeyHint}
        />
        {environment === "sandbox" && (
          <label class="choice">
            <input type="checkbox" name="flag.with_keys" />
            {admission.withKeys}
          </label>
        )}
      </>
    );
  }
  return (
    <>
      <Field {...of("given.webhook_url")} label={admission.webhookUrl} />
      <Field
        {...{ ...of("lines.addresses"), isLong: true }}
        isOptional={environment === "sandbox"}
        label={partners.addresses}
        hint={admission.addressesHint}
      />
      {LIMITS.map((limit) => {
        const { kind, label } = termField(call.words, limit);
        return <Field {...of(`${kind}.${limit.name}`)} {...optional} label={label} />;
      })}
      <Field
        {...{ ...of("number.rates.signed.perSecond"), ...optional }}
        label={admission.signedPerSecond}
      />
      <Field
        {...{ ...of("number.rates.signed.burst"), ...optional }}
        label={admission.signedBurst}
        hint={admission.limitsHint}
      />
    </>
  );
}
