import { formatTime } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { moment } from "../format.ts";
import type { Messages } from "../languages/languages.ts";

/** A dash for what there is not; where rows are cards, they leave it out. */
export function None() {
  return <span class="soft none">–</span>;
}

/** A moment in Riyadh; a dash for null. */
export function Moment({ ms }: { ms: number | null }) {
  if (ms === null) return <None />;
  const [day, time] = moment(ms).split(" ");
  return (
    <time datetime={formatTime(ms)} dir="ltr">
      <span>{day}</span> <span>{time}</span>
    </time>
  );
}

/** A moment in Riyadh, which links to a page. */
export function MomentLink({ call: { language }, path, ms }: {
  call: Call;
  /** The path after the language. */
  path: string;
  ms: number;
}) {
  return (
    <a href={`/${language}${path}`}>
      <Moment ms={ms} />
    </a>
  );
}

/** A figure or an id, which is written from left to right in every language. */
export function Code({ text }: { text: string }) {
  return <bdi class="code" dir="ltr">{text}</bdi>;
}

/** An id that is longer is shortened in tables, to its first eight characters and the last four. */
const [SHORT, FIRST, LAST] = [20, 8, 4];

/**
 * An id, which a click copies. In a table a long one looks shortened, but is there whole for whoever marks,
 * searches or prints it.
 *
 * @param isWhole whether it is never shortened
 */
export function Id({ text, isWhole = false }: { text: string; isWhole?: boolean }) {
  const id = { dir: "ltr" as const, "data-copy": "" };
  return isWhole || text.length <= SHORT
    ? <bdi class="code whole" {...id}>{text}</bdi>
    : (
      <bdi class="code id" title={text} {...id}>
        {text.slice(0, FIRST)}
        <span>{text.slice(FIRST, -LAST)}</span>
        {text.slice(-LAST)}
      </bdi>
    );
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
    <a class="clip" title={clientId} href={`/${language}/partners/${clientId}`}>
      <bdi>{clientId}</bdi>
    </a>
  );
}

/** A button that prints the page; it is not printed, and hidden where there are no scripts. */
export function PrintButton({ words }: { words: Messages }) {
  return <button type="button" class="plain" data-print hidden>{words.print}</button>;
}
