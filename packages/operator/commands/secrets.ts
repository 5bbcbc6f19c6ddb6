import { buildRouteMap } from "@stricli/core";
import { formatTime } from "@sabika/protocol";
import { command } from "../command/command.ts";
import { time } from "../command/json.ts";
import { list } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { credentialList } from "./credential_list.ts";
import { refreshKit } from "./kit_files.ts";
import { OVERLAP_FLAGS, type OverlapFlags, readOverlap } from "./overlap.ts";

function rotateSecret(noun: "client-secret" | "webhook-secret") {
  const member = noun.replace("-", "_");
  return command<OverlapFlags, [string]>({
    brief: "Make a new one, shown once; the old ones end after an overlap",
    more: noun === "client-secret"
      ? "During the overlap either of them gets tokens."
      : "During the overlap each delivery is signed with both.",
    examples: [`${noun} rotate bank-one --overlap 7d`, `${noun} rotate bank-one --now`],
    flags: OVERLAP_FLAGS,
    args: [ID],
    async run(session, flags, id) {
      const overlapMs = await readOverlap(session, flags);
      const { credential, oldEndsAtMs } = await session.act(`${noun}.rotate`, {
        partner: id,
        overlap_ms: overlapMs,
      });
      const kit = await refreshKit(session, id, { [member]: credential });
      return {
        json: {
          client_id: id,
          [member]: credential,
          old_ends_at: time(oldEndsAtMs),
          kit: kit ?? null,
        },
        text: list([
          [noun.replace("-", " "), `${credential}  (shown once)`],
          ["the old one", `ends ${formatTime(oldEndsAtMs)}`],
          ...(kit === undefined ? [] : [["kit", `${kit} has the new one`] as const]),
        ]),
      };
    },
  });
}

const LIST = "List them by id and end, of all partners or one; never their text";

/** `sabika client-secret …` */
export const clientSecret = buildRouteMap({
  docs: { brief: "Rotate client secrets" },
  routes: {
    rotate: rotateSecret("client-secret"),
    list: credentialList("client-secret", "client_secret", LIST),
  },
});

/** `sabika webhook-secret …` */
export const webhookSecret = buildRouteMap({
  docs: { brief: "Rotate webhook secrets" },
  routes: {
    rotate: rotateSecret("webhook-secret"),
    list: credentialList("webhook-secret", "webhook_secret", LIST),
  },
});
