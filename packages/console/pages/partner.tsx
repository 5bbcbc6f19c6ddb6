import { readEndpointStates } from "@sabika/service/delivery";
import { listCredentials } from "@sabika/service/partners";
import { mayDo } from "@sabika/terms";
import type { Page } from "../call.ts";
import { Activity } from "./partner_activity.tsx";
import { Balances } from "./partner_balances.tsx";
import { Checklist } from "./checklist.tsx";
import { Contacts } from "./partner_contacts.tsx";
import { Credentials } from "./partner_credentials.tsx";
import { Documents } from "./partner_documents.tsx";
import { Endpoint } from "./partner_endpoint.tsx";
import { Limits, Settings } from "./partner_terms.tsx";

/**
 * All about a partner: terms, balances, what it did last, whom to call, documents, limits, credentials with their
 * ends, and its endpoint.
 */
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
            <div>
              <Balances call={call} partner={found} cell={found.database.sql} />
              <Endpoint call={call} partner={found} endpoint={endpoint} />
            </div>
          </div>
          <Checklist call={call} partner={found} />
          <Activity call={call} clientId={clientId} />
          <Contacts call={call} partner={found} />
          <Documents call={call} clientId={clientId} />
          <Limits call={call} partner={found} />
          {credentials && <Credentials call={call} credentials={credentials} nowMs={nowMs} />}
        </>
      ),
    };
  },
};
