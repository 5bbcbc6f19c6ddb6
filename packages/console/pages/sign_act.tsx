import { uuidV7 } from "@sabika/protocol";
import type { AdminRefusal, AdminRefusalCode } from "@sabika/terms";
import type { Call, Page, Shown } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { Code } from "../layout/inline.tsx";
import {
  fieldsIn,
  isSealed,
  LONGEST_ADDRESS,
  queryOf,
  seal,
  withoutPrivateKeys,
} from "./act_address.ts";
import { fieldOf, type Fields, type Mistakes, readArguments } from "./act_arguments.ts";
import { ActForm, askedIn, MistakeWords, neededIn, type OfferedAct } from "./act_form.tsx";
import { offeredMistakes, readOffers } from "./act_offers.ts";
import { ArgumentList } from "./argument_list.tsx";
import { BackLink, isOffered, pathOf, readFields, refused, UUID } from "./form_fields.tsx";
import { findRecorded } from "./outcome.tsx";
import { stageAct } from "./staged_act.tsx";

const PATH = "/acts/sign";

/** Takes the form of an act, and leads to the address that shows it: to be signed, or to be corrected. */
export const sendAct: Page = {
  path: PATH,
  method: "POST",
  act: "office.read",
  returnTo: async (context, language) =>
    `/${language}${PATH}?${queryOf(withoutPrivateKeys(await readFields({ context })))}`,
  async show(call) {
    const fields = withoutPrivateKeys(await readFields(call));
    if (!isOffered(fields["act"]?.[0] ?? "", call)) return undefined;
    return await leadTo(call, fields);
  },
};

/** Shows an act as it will be signed, and asks for the passkey; or its form, with what is wrong in it. */
export const signAct: Page = {
  path: PATH,
  act: "office.read",
  show: (call) => showAct(call, fieldsIn(call.context.req.url)),
};

/**
 * Gives a form's fields a new act's id, seals them, and leads to their address; a form that is too long for
 * one is answered at once.
 */
export async function leadTo(
  call: Call,
  { seal: _, ...fields }: Fields,
): Promise<Shown | Response | undefined> {
  const { random, now } = call.office.admin;
  const sealed = await seal(call, { ...fields, id: [uuidV7(now(), random)] });
  const address = addressOf(call, sealed);
  return address.length > LONGEST_ADDRESS
    ? await showAct(call, sealed)
    : call.context.redirect(address, 303);
}

/** Returns the address that shows an act with these fields. */
export const addressOf = ({ language }: Call, fields: Fields): string =>
  `/${language}${PATH}?${queryOf(fields)}`;

async function showAct(call: Call, fields: Fields): Promise<Shown | Response | undefined> {
  const { words, language } = call;
  const [name = ""] = fields["act"] ?? [];
  const [id = ""] = fields["id"] ?? [];
  if (!isOffered(name, call)) return undefined;
  const back = pathOf(fields["back"]?.[0], call);
  // What another session sealed, or nobody, is shown as a form: nothing of it was asked for here.
  if (!UUID.test(id) || !await isSealed(call, fields)) {
    return await formAgain(call, name, fields, {});
  }
  if (await findRecorded(call, id) !== undefined) {
    return call.context.redirect(`/${language}/acts/${id}?${new URLSearchParams({ back })}`, 303);
  }
  const asked = askedIn(words, name, fixedOf(fields));
  const offers = await readOffers(call, name, fixedOf(fields));
  const { input, mistakes: found } = readArguments(name, fields, neededIn(name, asked, offers));
  const isUnchanged = name === "partner.update" && Object.keys(input).length < 2;
  const mistakes: Mistakes = {
    ...offeredMistakes(offers, input),
    ...inLanguage(call, found),
    ...Object.fromEntries(
      (fields["private"] ?? []).map((field) => [field.slice(6), { code: "private_key" }] as const),
    ),
    ...isUnchanged && Object.keys(found).length === 0 && { "": { code: "unchanged" } },
  };
  if (Object.keys(mistakes).length > 0) return await formAgain(call, name, fields, mistakes);
  const address = addressOf(call, fields);
  // What is too long for an address is not typed again from one.
  const again = address.length > LONGEST_ADDRESS ? back : address;
  const staged = await stageAct(call, { id, name, input, back, again });
  if (staged.ok) return staged.value;
  if (staged.code === "not_permitted" && staged.detail === words.notices.notPermitted) {
    return refused(call, back, staged.detail);
  }
  return await formAgain(call, name, fields, mistakesOf(call, staged, asked));
}

function inLanguage({ language }: Call, mistakes: Mistakes): Mistakes {
  return Object.fromEntries(
    Object.entries(mistakes).map(([name, { detail, ...mistake }]) => [
      name,
      detail === undefined ? mistake : { ...mistake, detail: sayRefusal(language, detail) },
    ]),
  );
}

/** The arguments that a form's page had set, without a field. */
function fixedOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    (fields["fixed"] ?? []).map((name) => [name, fields[fieldOf(name)]?.[0] ?? ""]),
  );
}

/** The fields that a refusal with this code concerns. */
const FIELDS_OF: Partial<Record<AdminRefusalCode, readonly string[]>> = {
  invalid_client_id: ["client_id"],
  invalid_name: ["name", "operator"],
  invalid_iban: ["iban"],
  invalid_cidr: ["cidr", "addresses"],
  invalid_webhook_url: ["url", "webhook_url"],
  invalid_csr: ["csr"],
  invalid_certificate: ["csr"],
  invalid_signing_key: ["key", "signing_key"],
  invalid_recipient: ["encrypt_to"],
  proof_required: ["key", "signing_key"],
  already_exists: ["reference", "serial", "operator", "client_id"],
  not_found: ["partner", "serial"],
  key_in_use: ["key", "signing_key", "csr"],
  insufficient_vault: ["grams"],
  insufficient_allocation: ["grams"],
};

/** Says at its field what the act would be refused for, where the refusal concerns a field. */
function mistakesOf(
  { language }: Call,
  { code, detail }: AdminRefusal,
  asked: readonly string[],
): Mistakes {
  const field = FIELDS_OF[code]?.find((name) => asked.includes(name)) ?? "";
  return { [field]: { code: "refused", detail: sayRefusal(language, detail) } };
}

/** Shows an act's form as it was typed, with what is wrong in it. */
async function formAgain(
  call: Call,
  name: OfferedAct,
  fields: Fields,
  mistakes: Mistakes,
): Promise<Shown> {
  const { words } = call;
  const back = pathOf(fields["back"]?.[0], call);
  const fixed = fixedOf(fields);
  const asked = askedIn(words, name, fixed);
  const others = Object.entries(mistakes).filter(([field]) => !asked.includes(field));
  const isWrong = Object.keys(mistakes).length > 0;
  return {
    title: words.acts[name],
    status: isWrong ? 400 : 200,
    content: (
      <>
        <section class="card narrow">
          {isWrong
            ? <p role="alert" class="wrong">{words.act.correct}</p>
            : <p role="status">{words.act.check}</p>}
          {others.map(([, mistake]) => (
            <p class="wrong">
              <MistakeWords words={words} mistake={mistake} />
            </p>
          ))}
          <p>
            <Code text={name} />
          </p>
          <ArgumentList values={fixed} />
          <ActForm
            call={call}
            act={name}
            fixed={fixed}
            typed={fields}
            mistakes={mistakes}
            back={back}
            isTall
          />
        </section>
        <BackLink call={call} back={back} />
      </>
    ),
  };
}
