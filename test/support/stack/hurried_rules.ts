import { parse, stringify } from "yaml";

/** The members of docs/observability/alerts.yaml that hold times. */
interface Rules {
  groups: { name: string; rules: { alert: string; expr: string; for?: string }[] }[];
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };
/** A rate needs at least two scrapes. */
const SHORTEST_WINDOW_SECONDS = 5;

/** Shortens every `for` and every window of the alert rules by a factor; thresholds stay. */
export const hurriedRules = (factor: number) => (text: string): string => {
  const shorter = (time: string, least: number) => {
    const [, number, unit] = /^(\d+)([smh])$/.exec(time)!;
    return `${Math.max(least, Math.round(Number(number) * SECONDS[unit!]! / factor))}s`;
  };
  const { groups } = parse(text) as Rules;
  return stringify({
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replace(
          /(?<=\[|offset )\d+[smh]\b/g,
          (time) => shorter(time, SHORTEST_WINDOW_SECONDS),
        ),
        ...(rule.for === undefined ? {} : { for: shorter(rule.for, 1) }),
      })),
    })),
  });
};
