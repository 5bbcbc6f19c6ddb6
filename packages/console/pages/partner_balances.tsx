import type { Sql } from "@sabika/database";
import { readAccounts } from "@sabika/service/ledger";
import type { PartnerRecord } from "@sabika/service/partners";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { grams, riyals } from "../format.ts";
import { Facts } from "../layout/table.tsx";

/** A partner's money and gold now, with the way to its ledger and statements. */
export async function Balances({ call, partner: { clientId, partnerId }, cell }: {
  call: Call;
  partner: PartnerRecord;
  /** The database of the partner's rows. */
  cell: Sql;
}) {
  const { language, viewer, words } = call;
  const { partners, partnerFile, vault, pages } = words;
  const accounts = (await readAccounts(cell)).get(partnerId);
  const { cashHalalas = 0n, goldMicrograms = 0n, allocationMicrograms = 0n } = accounts ?? {};
  const of = (page: string) => `/${language}/${page}?partner=${clientId}`;
  return (
    <section class="card" aria-labelledby="balances">
      <h2 id="balances">{partnerFile.balances}</h2>
      <Facts
        facts={[
          [partnerFile.cash, <bdi dir="ltr">{riyals(cashHalalas)}</bdi>],
          [vault.held, <bdi dir="ltr">{grams(goldMicrograms)}</bdi>],
          [partners.allocation, <bdi dir="ltr">{grams(allocationMicrograms)}</bdi>],
        ]}
      />
      {mayDo(viewer.roles, "trade.read") && (
        <p class="acts">
          <a href={of("ledger")}>{pages.ledger}</a>
          <a href={of("statements")}>{pages.statements}</a>
        </p>
      )}
    </section>
  );
}
