import { Code } from "../layout/inline.tsx";

/** Arguments of an act, by their names. */
export function ArgumentList({ values }: { values: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="arguments">
      {Object.entries(values).map(([name, value]) => (
        <li>
          <span class="soft">{name}</span>{" "}
          <Code text={typeof value === "string" ? value : JSON.stringify(value)} />
        </li>
      ))}
    </ul>
  );
}
