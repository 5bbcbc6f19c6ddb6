import { parse } from "yaml";

/** An alert whose rule compares a metric as it is now with a number. */
export interface Condition {
  readonly alert: string;
  readonly metric: string;
  /** A label that the series must have, as `name="value"`; empty: none. */
  readonly label: string;
  readonly isAbsolute: boolean;
  readonly comparison: "==" | ">" | "<";
  readonly bound: number;
}

const RULE = /^(?:(abs|max)\()?(\w+)(?:\{(\w+="[^"]*")\})?\)? (==|>|<) ([\d.]+)$/;

/**
 * Reads the alert rules that wake somebody and need no past, without their `for`: a fault is over before most of
 * them would fire.
 */
export function pagingConditions(rules: string): Condition[] {
  const { groups } = parse(rules) as {
    groups: { rules: { alert: string; expr: string; labels: { severity: string } }[] }[];
  };
  return groups.flatMap((group) => group.rules).flatMap(({ alert, expr, labels }) => {
    const found = labels.severity === "page" && RULE.exec(expr);
    if (!found) return [];
    const [, wrapper, metric = "", label = "", comparison, bound] = found;
    return [{
      alert,
      metric,
      label,
      isAbsolute: wrapper === "abs",
      comparison: comparison as Condition["comparison"],
      bound: Number(bound),
    }];
  });
}

/** Returns the alerts whose conditions hold in a part's metrics (Prometheus's text format). */
export function holdingIn(conditions: readonly Condition[], metrics: string): string[] {
  const series = metrics.split("\n").map((line) => /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line));
  return conditions
    .filter(({ metric, label, isAbsolute, comparison, bound }) =>
      series.some((found) => {
        if (found?.[1] !== metric || !(found[2] ?? "").includes(label)) return false;
        const value = isAbsolute ? Math.abs(Number(found[3])) : Number(found[3]);
        if (comparison === "==") return value === bound;
        return comparison === ">" ? value > bound : value < bound;
      })
    )
    .map(({ alert }) => alert);
}
