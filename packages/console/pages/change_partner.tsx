import { findPartner, type PartnerRecord } from "@sabika/service/partners";
import type { Call, Page } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { ActForm } from "./act_form.tsx";
import { BackLink } from "./form_fields.tsx";

/** Forms to rotate a partner's credentials, each with an overlap, and to change its settings. */
export const changePartner: Page = {
  path: "/partners/:partner{[a-z0-9][a-z0-9-]*}/change",
  act: "partner.update",
  async show(call) {
    const { context, database: { sql }, words, language } = call;
    const found = await findPartner(sql, context.req.param("partner") ?? "");
    if (found === undefined) return undefined;
    return {
      title: fill(words.change.title, { partner: found.name }),
      content: (
        <>
          <BackLink call={call} back={`/${language}/partners/${found.clientId}`} />
          <Rotations call={call} partner={found} />
          <Settings call={call} partner={found} />
        </>
      ),
    };
  },
};

interface Part {
  readonly call: Call;
  readonly partner: PartnerRecord;
}

const ROTATIONS = [
  "certificate.rotate",
  "signing-key.rotate",
  "client-secret.rotate",
  "webhook-secret.rotate",
] as const;

/** A form for each rotation, with a choice of how long the old credentials go on working. */
function Rotations({ call, partner: { clientId } }: Part) {
  const { words: { change } } = call;
  return (
    <section aria-labelledby="rotations">
      <h2 id="rotations">{change.rotations}</h2>
      <p class="soft">{change.rotationsLead}</p>
      <div class="columns">
        {ROTATIONS.map((act) => (
          <div class="card">
            <ActForm call={call} act={act} fixed={{ partner: clientId }} isTall />
          </div>
        ))}
      </div>
    </section>
  );
}

function Settings({ call, partner: { clientId, addresses } }: Part) {
  const { words: { change, partners } } = call;
  const form = { call, fixed: { partner: clientId }, isTall: true };
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{partners.settings}</h2>
      <p class="soft">{change.twoPeople}</p>
      <div class="columns">
        <div class="card">
          <ActForm {...form} act="partner.update" />
          <ActForm {...form} act="tax.set" />
        </div>
        <div class="card">
          <ActForm {...form} act="iban.set" />
          <ActForm {...form} act="webhook.set" />
        </div>
        <div class="card">
          <ActForm {...form} act="address.add" />
          {addresses.length > 0 && <ActForm {...form} act="address.remove" />}
        </div>
      </div>
    </section>
  );
}
