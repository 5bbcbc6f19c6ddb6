import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { Code, None } from "../layout/inline.tsx";

/** A bar by its serial, which links to its page. */
export function BarLink({ call: { language }, serial }: { call: Call; serial: string }) {
  return (
    <a href={`/${language}/bars/${encodeURIComponent(serial)}`}>
      <Code text={serial} />
    </a>
  );
}

/** A pool by its id, which links to its versions. */
export function PoolLink({ call: { language }, pool }: { call: Call; pool: string }) {
  return (
    <a href={`/${language}/pools/${pool}/versions`}>
      <bdi>{pool}</bdi>
    </a>
  );
}

/** A version by its number, which links to what it changed; a dash for none. */
export function VersionLink({ call: { language }, pool, version }: {
  call: Call;
  pool: string;
  version: number | null;
}) {
  if (version === null) return <None />;
  return <a href={`/${language}/pools/${pool}/versions/${version}`}>{version}</a>;
}

/** Links to the pages where bars come in and are replaced, for whom they are. */
export function IntakeLinks({ call: { language, viewer, words }, pool }: {
  call: Call;
  /** The pool that the bars are of, if the page is about one. */
  pool?: string;
}) {
  const query = pool === undefined ? "" : `?${new URLSearchParams({ pool })}`;
  return (
    <>
      {mayDo(viewer.roles, "vault.bars.add") && (
        <a href={`/${language}/vault/intake${query}`}>{words.custody.intake}</a>
      )}
      {mayDo(viewer.roles, "vault.bar.replace") && (
        <a href={`/${language}/vault/replacement`}>{words.custody.replacement}</a>
      )}
    </>
  );
}
