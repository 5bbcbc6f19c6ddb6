/** An alert that fires. */
export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A series in the result of a query, by its labels. */
export interface FoundSeries {
  readonly metric: Readonly<Record<string, string>>;
}

/** Runs a query on the Prometheus at `url`; the result includes series whose value is NaN. */
export async function queryOf(url: string, query: string): Promise<FoundSeries[]> {
  const { result } = await ask<{ result: FoundSeries[] }>(
    `${url}/api/v1/query?query=${encodeURIComponent(query)}`,
  );
  return result;
}

/** Reads the alerts that are firing. */
export async function alertsOf(url: string): Promise<FiringAlert[]> {
  const { alerts } = await ask<{ alerts: (FiringAlert & { state: string })[] }>(
    `${url}/api/v1/alerts`,
  );
  return alerts.filter(({ state }) => state === "firing");
}

async function ask<T>(url: string): Promise<T> {
  const answer = await (await fetch(url)).json() as { status: string; data: T; error?: string };
  if (answer.status !== "success") throw new Error(`Prometheus: ${answer.error}`);
  return answer.data;
}
