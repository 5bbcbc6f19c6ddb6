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
