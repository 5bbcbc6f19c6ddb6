import type { PartnerRecord } from "@sabika/service/partners";
import { RATE_CLASSES, TERM_ENTRIES, type TermUnit } from "@sabika/terms";
import type { Call } from "../call.ts";
import { grams, percent } from "../format.ts";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";
import { Amount, Code, State } from "../layout/inline.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";

interface Part {
  readonly call: Call;
  readonly partner: PartnerRecord;
}

function Term({ unit, value, words }: {
  unit: TermUnit;
  value: bigint | number;
  words: Messages;
}) {
  if (typeof value === "number") return <>{value}</>;
  return unit === "percent"
    ? <Code text={percent(value)} />
    : <Amount figure={grams(value)} unit={words.units.grams} />;
}

/** A partner's state, terms, IBAN and addresses. */
export function Settings({ call, partner }: Part) {
  const { words } = call;
  const { partners } = words;
  const { settings, clientId, status } = partner;
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">{partners.settings}</h2>
      <Facts
        facts={[
          [words.partner, <Code text={clientId} />],
          [
            partners.status,
            <State word={partners.statuses[status]} mood={status === "active" ? "good" : "bad"} />,
          ],
          ...TERM_ENTRIES.map(([key, { name, unit }]) =>
            [
              partners.terms[name],
              <Term unit={unit} value={settings[key]} words={words} />,
            ] as const
          ),
          ...Object.entries(settings.taxes ?? {}).map(([day, { gold_ppm, fee_ppm }]) =>
            [
              fill(partners.taxFrom, { day }),
              fill(partners.taxOf, {
                gold: percent(BigInt(gold_ppm)),
                fee: percent(BigInt(fee_ppm)),
              }),
            ] as const
          ),
          [partners.iban, <Code text={partner.settlementIban} />],
          [
            partners.addresses,
            partner.addresses.length === 0
              ? partners.anywhere
              : partner.addresses.map((address) => (
                <>
                  <Code text={address} />
                  <br />
                </>
              )),
          ],
        ]}
      />
      <ActForm
        call={call}
        act={status === "active" ? "partner.suspend" : "partner.resume"}
        fixed={{ partner: clientId }}
      />
    </section>
  );
}

/** How often a partner may call. */
export function Limits({ call: { words }, partner: { settings: { rateLimits } } }: Part) {
  const { partners } = words;
  return (
    <Table
      section="limits"
      caption={partners.limits}
      empty={words.none}
      rows={RATE_CLASSES}
      columns={[
        { head: partners.rateClass, cell: (name) => partners.rateClasses[name] },
        { head: partners.perSecond, cell: (name) => rateLimits[name].perSecond, isFigure: true },
        { head: partners.burst, cell: (name) => rateLimits[name].burst, isFigure: true },
      ]}
    />
  );
}
