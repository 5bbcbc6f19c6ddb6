import { FUNDINGS, type ListRead, ORDERS, PAST_WITHDRAWALS } from "@sabika/office/reads";
import { readPart } from "@sabika/office/run-reads";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { type Look, ReadTable } from "../layout/read_table.tsx";
import { fundingLook } from "./fundings.tsx";
import { orderLook } from "./orders.tsx";
import { listedWithdrawalLook } from "./withdrawals.tsx";

/** How many of each are shown; the rest is behind a link. */
const SHOWN = 5;

/** What a partner did last: orders, money in, withdrawals; each for those who may read it. */
export function Activity({ call, clientId }: { call: Call; clientId: string }) {
  const { words: { partnerFile } } = call;
  return (
    <>
      <Last
        call={call}
        clientId={clientId}
        read={ORDERS}
        id="orders"
        title={partnerFile.activity}
        names={["executed_at", "side", "gold_grams", "total_sar"]}
        look={orderLook(call)}
      />
      <Last
        call={call}
        clientId={clientId}
        read={FUNDINGS}
        id="fundings"
        title={partnerFile.fundings}
        names={["created_at", "amount_sar", "balance_sar", "reference"]}
        look={fundingLook(call)}
      />
      <Last
        call={call}
        clientId={clientId}
        read={PAST_WITHDRAWALS}
        id="withdrawals"
        title={partnerFile.withdrawals}
        names={["created_at", "status", "amount_sar", "iban"]}
        look={listedWithdrawalLook(call)}
      />
    </>
  );
}

/** The newest of a partner's list, with a link to all of them; nothing where there are none. */
async function Last<T>({ call, clientId, read, id, title, names, look }: {
  call: Call;
  clientId: string;
  read: ListRead<T>;
  id: string;
  title: string;
  names: readonly string[];
  look: Look<T>;
}) {
  const { language, office, viewer, words } = call;
  if (!mayDo(viewer.roles, read.act)) return null;
  const part = await readPart(
    read,
    office.readContext(viewer),
    { query: { limit: SHOWN }, filter: { client_id: clientId } },
    "every cell",
  );
  const { data = [] } = part ?? {};
  if (data.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ReadTable call={call} read={read} items={data} names={names} caption={title} look={look} />
      <p>
        <a href={`/${language}${read.page!.path}?partner=${clientId}`}>
          {words.partnerFile.all}
          <span class="unseen">: {title}</span>
        </a>
      </p>
    </section>
  );
}
