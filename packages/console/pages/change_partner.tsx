import { findPartner } from "@sabika/service/partners";
import { TERM_ENTRIES } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { moment } from "../format.ts";
import { duration } from "../languages/languages.ts";
import { ActForm, Choice, Field } from "./act_form.tsx";
import { termField } from "./term_field.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** How long what is replaced goes on: from a month to not at all. */
const OVERLAPS_MS = [30 * DAY_MS, 7 * DAY_MS, DAY_MS, HOUR_MS, 0];
const USUAL_OVERLAP_MS = 7 * DAY_MS;

/** What may be changed of a partner: its credentials, each with an overlap, and its settings. */
export const changePartner: Page = {
  path: "/partners/:partner{[a-z0-9][a-z0-9-]*}/change",
  act: "partner.update",
  async show(call) {
    const { context, database: { sql }, words, language } = call;
    const found = await findPartner(sql, context.req.param("partner") ?? "");
    if (found === undefined) return undefined;
    const of = { call, partner: found.clientId };
    return {
      title: words.change.title(found.name),
      content: (
        <>
          <p>
            <a href={`/${language}/partners/${found.clientId}`}>{words.act.back}</a>
          </p>
          <Rotations {...of} />
          <Settings {...of} partnerOf={found} />
        </>
      ),
    };
  },
};

interface Part {
  readonly call: Call;
  readonly partner: string;
}

function Rotations({ call, partner }: Part) {
  const { words: { change, admission } } = call;
  const of = { call, partner };
  return (
    <section aria-labelledby="rotations">
      <h2 id="rotations">{change.rotations}</h2>
      <p class="soft">{change.rotationsLead}</p>
      <div class="columns">
        <Rotation {...of} of="certificate">
          <Field name="csr" label={admission.csr} hint={admission.csrHint} isLong about="c" />
        </Rotation>
        <Rotation {...of} of="signing-key">
          <Field
            name="key"
            label={admission.signingKey}
            hint={admission.signingKeyProof}
            isLong
            about="k"
          />
        </Rotation>
        <Rotation {...of} of="client-secret" />
        <Rotation {...of} of="webhook-secret" />
      </div>
    </section>
  );
}

/** A credential's rotation, with what the new one is made from, if anything. */
function Rotation({ call, partner, of, children }: Part & {
  of: "certificate" | "signing-key" | "client-secret" | "webhook-secret";
  children?: Child;
}) {
  return (
    <div class="card">
      <ActForm call={call} act={`${of}.rotate`} given={{ partner }} isTall>
        {children}
        <Overlap call={call} about={of} />
      </ActForm>
    </div>
  );
}

/** How long the old ones go on, and when that is over. */
function Overlap({ call: { language, words: { change }, now }, about }: {
  call: Call;
  about: string;
}) {
  const nowMs = now();
  return (
    <Choice
      name="overlap_ms"
      label={change.overlap}
      about={about}
      kind="number"
      chosen={String(USUAL_OVERLAP_MS)}
      options={OVERLAPS_MS.map((ms) => [
        String(ms),
        ms === 0
          ? change.atOnce
          : change.until(duration(language, ms / 1000), moment(nowMs + ms).slice(0, 16)),
      ])}
    />
  );
}

function Settings({ call, partner, partnerOf }: Part & {
  partnerOf: NonNullable<Awaited<ReturnType<typeof findPartner>>>;
}) {
  const { words } = call;
  const { change, admission, partners } = words;
  const given = { partner };
  const optional = { about: "change", isOptional: true };
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{partners.settings}</h2>
      <p class="soft">{change.twoPeople}</p>
      <div class="columns">
        <div class="card">
          <ActForm call={call} act="partner.update" given={given} isTall>
            <Field name="name" label={partners.name} {...optional} />
            {TERM_ENTRIES.map(([, term]) => (
              <Field name={term.name} {...termField(words, term)} {...optional} />
            ))}
          </ActForm>
        </div>
        <div class="card">
          <ActForm call={call} act="iban.set" given={given} isTall>
            <Field name="iban" label={partners.iban} about="change" />
          </ActForm>
          <ActForm call={call} act="webhook.set" given={given} isTall>
            <Field name="url" label={admission.webhookUrl} about="change" />
          </ActForm>
        </div>
        <div class="card">
          <ActForm call={call} act="address.add" given={given} isTall>
            <Field name="cidr" label={change.cidr} about="add" />
          </ActForm>
          {partnerOf.addresses.length > 0 && (
            <ActForm call={call} act="address.remove" given={given} isTall>
              <Choice
                name="cidr"
                label={change.cidr}
                about="remove"
                options={partnerOf.addresses.map((one) => [one, one])}
              />
            </ActForm>
          )}
        </div>
      </div>
    </section>
  );
}
