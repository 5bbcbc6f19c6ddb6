import { formatTime } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { moment } from "../format.ts";

/** A moment in Riyadh; a dash for null. */
export function Moment({ ms }: { ms: number | null }) {
  if (ms === null) return <span class="soft">–</span>;
  return <time datetime={formatTime(ms)} dir="ltr">{moment(ms)}</time>;
}

/** A figure or an id, which is written from left to right in every language. */
export function Code({ text }: { text: string }) {
  return <bdi class="code" dir="ltr">{text}</bdi>;
}

/** A state in a word; its colour only repeats it. */
export function State({ word, mood }: { word: string; mood: "good" | "bad" | "waiting" }) {
  return <span class={`state ${mood}`}>{word}</span>;
}

/** A figure with its unit. */
export function Amount({ figure, unit }: { figure: string; unit: string }) {
  return (
    <>
      <bdi dir="ltr">{figure}</bdi> <span class="unit">{unit}</span>
    </>
  );
}

/** A partner by its client id, which links to its page. */
export function PartnerLink({ call: { language }, clientId }: { call: Call; clientId: string }) {
  return (
    <a href={`/${language}/partners/${clientId}`}>
      <bdi>{clientId}</bdi>
    </a>
  );
}
