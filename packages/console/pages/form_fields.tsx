import type { Call, Shown } from "../call.ts";
import type { Fields } from "./act_arguments.ts";
import type { OfferedAct } from "./act_form.tsx";

/** The id of an act. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the values of a form's fields, by their names; of a file its text. */
export async function readFields({ context }: Pick<Call, "context">): Promise<Fields> {
  const body = await context.req.parseBody({ all: true });
  const entries = Object.entries(body).map(async ([name, values]) =>
    [
      name,
      await Promise.all(
        [values].flat().map((value) => typeof value === "string" ? value : value.text()),
      ),
    ] as const
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Returns the path to go to next, if it is in this console; else the overview's path. */
export function pathOf(path: string | undefined, { language }: Pick<Call, "language">): string {
  return path !== undefined && /^\/(?:en|ar)(?:[/?][\x21-\x7e]*)?$/.test(path)
    ? path
    : `/${language}`;
}

/** Whether pages offer an act. */
export function isOffered(name: string, { words }: Call): name is OfferedAct {
  return Object.hasOwn(words.acts, name);
}

/** The link back to where an act was asked for. */
export const BackLink = ({ call, back }: { call: Call; back: string }) => (
  <p>
    <a href={back}>{call.words.act.back}</a>
  </p>
);

/** The page that says why nothing was done. */
export function refused(call: Call, back: string, reason: string): Shown {
  return {
    title: call.words.act.refused,
    status: 400,
    content: (
      <section class="card narrow" role="alert">
        <p class="wrong">
          <bdi>{reason}</bdi>
        </p>
        <BackLink call={call} back={back} />
      </section>
    ),
  };
}
