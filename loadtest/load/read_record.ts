/** What k6 measured of one metric in one period, by aggregate: `count`, `rate`, `p(99)`. */
export type Aggregates = Readonly<Record<string, number>>;

/** A metric's course. */
export interface Course {
  type: "counter" | "gauge" | "rate" | "trend";
  /** "time" where its values are milliseconds. */
  contains: string | undefined;
  /** By the second of the run; seconds in which nothing was measured have none. */
  bySecond: ReadonlyMap<number, Aggregates>;
}

/** What one k6 recorded of a run, second by second. */
export interface RunRecord {
  startedMs: number;
  endedMs: number;
  metrics: ReadonlyMap<string, Course>;
}

type Kind = Pick<Course, "type"> & { contains?: string };
type Line =
  | { event: "param"; data: { aggregates: Record<Course["type"], string[]> } }
  | { event: "metric"; data: Record<string, Kind> }
  | { event: "start" | "stop"; data: [[number]] }
  | { event: "snapshot" | "cumulative"; data: number[][] }
  | { event: "threshold"; data: unknown };

/**
 * Reads what k6's dashboard writes by `K6_WEB_DASHBOARD_RECORD`: a line of JSON an event. A snapshot
 * lists the metrics that are known so far, in the order of their names, each empty that was not measured.
 *
 * @throws {Error} when there is no snapshot in it: a run under a second
 */
export function readRecord(text: string): RunRecord {
  const kinds = new Map<string, Kind>();
  const courses = new Map<string, Map<number, Aggregates>>();
  let aggregates: Record<Course["type"], string[]> | undefined;
  let [startedMs, endedMs] = [0, 0];
  for (const written of text.split("\n").filter((part) => part !== "")) {
    const line = JSON.parse(written) as Line;
    if (line.event === "param") aggregates = line.data.aggregates;
    else if (line.event === "start") startedMs = line.data[0][0];
    else if (line.event === "stop") endedMs = line.data[0][0];
    else if (line.event === "metric") {
      for (const [name, kind] of Object.entries(line.data)) kinds.set(name, kind);
    } else if (line.event === "snapshot" && aggregates !== undefined) {
      const names = [...kinds.keys()].sort();
      const timeMs = line.data[names.indexOf("time")]?.[0] ?? startedMs;
      const second = Math.round((timeMs - startedMs) / 1_000);
      names.forEach((name, at) => {
        const values = line.data[at];
        if (values === undefined || values.length === 0 || name === "time") return;
        const named = aggregates![kinds.get(name)!.type].map((key, nth) => [key, values[nth] ?? 0]);
        if (!courses.has(name)) courses.set(name, new Map());
        courses.get(name)!.set(second, Object.fromEntries(named));
      });
    }
  }
  if (courses.size === 0) throw new Error("k6 recorded nothing: the run was shorter than a second");
  const metrics = new Map([...courses].map(([name, bySecond]) => {
    const { type, contains } = kinds.get(name)!;
    return [name, { type, contains, bySecond }] as const;
  }));
  return { startedMs, endedMs, metrics };
}

/**
 * One record of several partners' runs at the same time. Counts and rates a second add up; of times
 * and shares the worst partner's stands, as in the sum of the summaries.
 *
 * @param records at least one
 */
export function mergeRecords(records: readonly RunRecord[]): RunRecord {
  const names = new Set(records.flatMap(({ metrics }) => [...metrics.keys()]));
  const metrics = new Map<string, Course>();
  for (const name of names) {
    const parts = records.flatMap((record) => record.metrics.get(name) ?? []);
    const { type, contains } = parts[0]!;
    const bySecond = new Map<number, Aggregates>();
    for (const part of parts) {
      for (const [second, values] of part.bySecond) {
        const before = bySecond.get(second);
        bySecond.set(second, before === undefined ? values : combined(type, before, values));
      }
    }
    metrics.set(name, { type, contains, bySecond });
  }
  return {
    startedMs: Math.min(...records.map(({ startedMs }) => startedMs)),
    endedMs: Math.max(...records.map(({ endedMs }) => endedMs)),
    metrics,
  };
}

function combined(type: Course["type"], earlier: Aggregates, later: Aggregates): Aggregates {
  const combine = (name: string, a: number, b: number) => {
    if (type === "counter" || type === "gauge") return a + b;
    return type === "rate" || name === "min" ? Math.min(a, b) : Math.max(a, b);
  };
  return Object.fromEntries(
    Object.entries(earlier).map(([name, value]) => [
      name,
      combine(name, value, later[name] ?? value),
    ]),
  );
}
