import type { Database } from "@sabika/database";
import { endNotification, notify } from "@sabika/service/notifications";

/** Tells the requesters of what nobody decided on in time, once each, however many offices look. */
export async function tellExpired({ sql }: Database): Promise<void> {
  const expired = await sql<{ request: string; act: string; requester: number }[]>`
    select n.subject as request, a.name as act, p.requester_id as requester
    from notifications n join approvals p on p.request_id = n.subject::uuid
      join acts a on a.act_id = p.request_id
    where n.kind = 'approval_waiting' and n.ended_at is null and p.state = 'waiting'
      and p.expires_at <= clock_timestamp()`;
  for (const { request, act, requester } of expired) {
    await sql.begin(async (transaction) => {
      if (!await endNotification(transaction, "approval_waiting", request, { isMoot: true })) {
        return;
      }
      await notify(
        transaction,
        {
          kind: "approval_refused",
          subject: request,
          facts: { act, state: "expired" },
        },
        { operatorId: requester },
        { lasts: false },
      );
    });
  }
}
