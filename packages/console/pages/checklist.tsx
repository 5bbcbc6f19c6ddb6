import { type ChecklistItem, type ChecklistStep, readChecklist } from "@sabika/office/oversight";
import { PARTNERS_CHECKLIST } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { State } from "../layout/inline.tsx";
import { ReadTable } from "../layout/read_table.tsx";

type Home = Parameters<typeof readChecklist>[1];

/** Where a step is done, after the partner's own page or, for paths that begin with a slash, the language. */
const PLACES: Readonly<Record<ChecklistStep, string>> = {
  terms: "change#settings",
  tax: "change#settings",
  iban: "change#settings",
  contacts: "#contacts",
  addresses: "change#settings",
  certificate: "change#rotations",
  signing_key: "change#rotations",
  client_secret: "change#rotations",
  webhook: "change#settings",
  gold: "/vault",
  money: "/fundings",
  delivery: "#endpoint",
  quote: "/quotes?partner=",
  active: "#settings",
};

/** What a partner still needs until it is live, each with a link to where it is done; nothing once it is live. */
export async function Checklist({ call, partner }: { call: Call; partner: Home }) {
  const { database: { sql: control }, environment, language, words: { checklist } } = call;
  const items = await readChecklist({ control, environment, nowMs: call.now() }, partner);
  if (items.every(({ done }) => done)) return null;
  const { clientId } = partner;
  const hrefOf = (step: ChecklistStep) => {
    const place = PLACES[step];
    if (place.startsWith("#")) return place;
    return place.startsWith("/")
      ? `/${language}${place.endsWith("=") ? place + clientId : place}`
      : `/${language}/partners/${clientId}/${place}`;
  };
  return (
    <ReadTable<ChecklistItem>
      call={call}
      read={PARTNERS_CHECKLIST}
      section="checklist"
      caption={checklist.title}
      items={items}
      names={["step", "done"]}
      look={{
        cells: {
          step: ({ step, done }) =>
            done ? checklist.steps[step] : <a href={hrefOf(step)}>{checklist.steps[step]}</a>,
          done: ({ done }) =>
            done
              ? <State word={checklist.done} mood="good" />
              : <State word={checklist.missing} mood="waiting" />,
        },
      }}
    />
  );
}
