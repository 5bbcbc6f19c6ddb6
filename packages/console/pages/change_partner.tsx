import { findPartner, type PartnerRecord } from "@sabika/service/partners";
import type { Call, Page } from "../call.ts";
import { moment } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import { ActForm } from "./act_form.tsx";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** How long replaced credentials go on working: from 30 days to not at all. */
const OVERLAPS_MS = [30 * DAY_MS, 7 * DAY_MS, DAY_MS, HOUR_MS, 0];
const USUAL_OVERLAP_MS = 7 * DAY_MS;

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
          <p>
            <a href={`/${language}/partners/${found.clientId}`}>{words.act.back}</a>
          </p>
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
  const { language, words: { change }, now } = call;
  const nowMs = now();
  const overlaps = OVERLAPS_MS.map((ms) =>
    [
      String(ms),
      ms === 0 ? change.atOnce : fill(change.until, {
        time: duration(language, ms / 1000),
        end: moment(nowMs + ms).slice(0, 16),
      }),
    ] as const
  );
  return (
    <section aria-labelledby="rotations">
      <h2 id="rotations">{change.rotations}</h2>
      <p class="soft">{change.rotationsLead}</p>
      <div class="columns">
        {ROTATIONS.map((act) => (
          <div class="card">
            <ActForm
              call={call}
              act={act}
              fixed={{ partner: clientId }}
              values={{ overlap_ms: String(USUAL_OVERLAP_MS) }}
              options={{ overlap_ms: overlaps }}
              isTall
            />
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
          {addresses.length > 0 && (
            <ActForm
              {...form}
              act="address.remove"
              options={{ cidr: addresses.map((cidr) => [cidr, cidr]) }}
            />
          )}
        </div>
      </div>
    </section>
  );
}
