import { ENDPOINTS, PARTNERS_CREDENTIALS } from "@sabika/office/reads";
import type { CredentialView } from "@sabika/office/wire";
import { type EndpointState, readEndpointStates } from "@sabika/service/delivery";
import {
  type CredentialEntry,
  listCredentials,
  type PartnerRecord,
} from "@sabika/service/partners";
import { mayDo, RATE_CLASSES, TERM_ENTRIES, type TermUnit } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { grams, moment, percent } from "../format.ts";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";
import { Amount, Code, Id, None, State } from "../layout/inline.tsx";
import { Timeline } from "../layout/plots.tsx";
import { factsOf, ReadTable } from "../layout/read_table.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { endpointLook } from "./endpoints.tsx";
import { CREDENTIAL_MOODS } from "./moods.ts";

/** A partner: settings, limits, addresses, credentials with their ends, the state of its endpoint. */
export const partner: Page = {
  path: "/partners/:partner{[a-z0-9][a-z0-9-]*}",
  act: "partner.read",
  async show(call) {
    const { context, cells, database: { sql }, viewer, words } = call;
    const found = await cells.homeOf(context.req.param("partner") ?? "");
    if (found === undefined) return undefined;
    const { clientId, partnerId } = found;
    const nowMs = call.now();
    const [credentials, [endpoint]] = await Promise.all([
      mayDo(viewer.roles, "credential.read")
        ? listCredentials(sql, nowMs, { clientId })
        : undefined,
      readEndpointStates(found.database.sql, nowMs, partnerId),
    ]);
    return {
      title: found.name,
      content: (
        <>
          {mayDo(viewer.roles, "partner.update") && (
            <p>
              <a href={`/${call.language}/partners/${clientId}/change`}>{words.change.link}</a>
            </p>
          )}
          <div class="columns">
            <Settings call={call} partner={found} />
            <Endpoint call={call} partner={found} endpoint={endpoint} />
          </div>
          <Limits call={call} partner={found} />
          {credentials && <Credentials call={call} credentials={credentials} nowMs={nowMs} />}
        </>
      ),
    };
  },
};

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

function Settings({ call, partner }: Part) {
  const { words, viewer, language } = call;
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
      {mayDo(viewer.roles, "trade.read") && (
        <p>
          <a href={`/${language}/orders?partner=${clientId}`}>{words.pages.orders}</a>
        </p>
      )}
      <ActForm
        call={call}
        act={status === "active" ? "partner.suspend" : "partner.resume"}
        fixed={{ partner: clientId }}
      />
    </section>
  );
}

const ENDPOINT_FACTS = ["status", "since", "failure", "pending_events", "lag_seconds", "in_flight"];

function Endpoint({ call, partner, endpoint }: Part & { endpoint: EndpointState | undefined }) {
  const { words, language } = call;
  const input = { partner: partner.clientId };
  const { partners } = words;
  return (
    <section class="card" aria-labelledby="endpoint">
      <h2 id="endpoint">{partners.endpoint}</h2>
      {endpoint === undefined ? <p class="empty">{words.none}</p> : (
        <Facts
          facts={[
            [partners.url, <Code text={partner.webhookUrl ?? "–"} />],
            ...factsOf(call, {
              read: ENDPOINTS,
              item: endpoint,
              names: ENDPOINT_FACTS,
              look: endpointLook(call),
            }),
          ]}
        />
      )}
      <p>
        <a href={`/${language}/partners/${partner.clientId}/deliveries`}>{words.deliveries.link}</a>
      </p>
      {endpoint && (
        <div class="acts">
          <ActForm call={call} act="webhook.ping" fixed={input} />
          <ActForm
            call={call}
            act={endpoint.status === "disabled" ? "webhook.enable" : "webhook.disable"}
            fixed={input}
          />
        </div>
      )}
    </section>
  );
}

function Limits({ call: { words }, partner: { settings: { rateLimits } } }: Part) {
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

function Credentials({ call, credentials, nowMs }: {
  call: Call;
  credentials: readonly CredentialEntry[];
  nowMs: number;
}) {
  const { words } = call;
  const { partners } = words;
  const newest = credentials.toSorted((a, b) => b.validFromMs - a.validFromMs);
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{partners.credentials}</h2>
      <figure class="card">
        <Timeline
          alt={partners.timelineSays}
          today={partners.today}
          nowMs={nowMs}
          formatTime={(ms) => moment(ms).slice(0, 7)}
          spans={newest.filter(({ state }) => state === "active").map((credential) => ({
            label: words.credentials[credential.kind],
            text: [credential.validFromMs, credential.validUntilMs]
              .map((ms) => ms === null ? "" : moment(ms)).join(" – "),
            fromMs: credential.validFromMs,
            untilMs: credential.validUntilMs,
          }))}
        />
      </figure>
      <ReadTable
        call={call}
        read={PARTNERS_CREDENTIALS}
        caption={partners.credentials}
        empty={words.none}
        items={newest}
        names={["kind", "id", "state", "valid_from", "valid_until", "scope"]}
        look={{
          states: {
            kind: { words: words.credentials },
            state: { words: partners.credentialStates, moods: CREDENTIAL_MOODS },
          },
          cells: { id: ({ credentialId }) => <Id text={credentialId} /> },
          extraColumns: [{
            head: words.approvals.act,
            cell: (credential) => <Ending call={call} credential={credential} />,
          }],
        }}
      />
    </section>
  );
}

/** The form that ends a lost or stolen credential at once. */
function Ending({ call, credential: { clientId: partner, kind, credentialId: id, state } }: {
  call: Call;
  credential: CredentialView;
}) {
  if (state !== "active") return <None />;
  if (kind === "certificate") {
    return <ActForm call={call} act="certificate.revoke" fixed={{ partner, certificate: id }} />;
  }
  if (kind !== "signing_key") return <None />;
  const input = { partner, key_id: id, overlap_ms: 0 };
  return <ActForm call={call} act="signing-key.retire" fixed={input} />;
}
