import { Code } from "../layout/inline.tsx";

/** What an act is given, as it was signed. */
export function Given({ given }: { given: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="given">
      {Object.entries(given).map(([name, value]) => (
        <li>
          <span class="soft">{name}</span>{" "}
          <Code text={typeof value === "string" ? value : JSON.stringify(value)} />
        </li>
      ))}
    </ul>
  );
}
