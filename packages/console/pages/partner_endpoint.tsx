import { ENDPOINTS } from "@sabika/office/reads";
import type { EndpointState } from "@sabika/service/delivery";
import type { PartnerRecord } from "@sabika/service/partners";
import type { Call } from "../call.ts";
import { Code } from "../layout/inline.tsx";
import { factsOf } from "../layout/read_table.tsx";
import { Facts } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { endpointLook } from "./endpoints.tsx";

const ENDPOINT_FACTS = ["status", "since", "failure", "pending_events", "lag_seconds", "in_flight"];

/** Where a partner's events go, and how that stands. */
export function Endpoint({ call, partner, endpoint }: {
  call: Call;
  partner: PartnerRecord;
  endpoint: EndpointState | undefined;
}) {
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
