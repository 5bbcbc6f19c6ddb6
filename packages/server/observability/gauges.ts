import { Gauge, type Registry } from "prom-client";

/** A gauge: its name, its help text, and how its value is read at a scrape. */
export type GaugeRow<From> = readonly [name: string, help: string, value: (from: From) => number];

/** Registers the gauges of a table, and returns the function that sets them. */
export function createGauges<From>(
  rows: readonly GaugeRow<From>[],
  registers: Registry[],
): (from: From) => void {
  const gauges = rows.map(([name, help, value]) => ({
    gauge: new Gauge({ name, help, registers }),
    value,
  }));
  return (from) => gauges.forEach(({ gauge, value }) => gauge.set(value(from)));
}

/** Like `createGauges`, but each gauge has a value for each label's value; it keeps none of earlier scrapes. */
export function createLabelledGauges<From>(
  rows: readonly GaugeRow<From>[],
  label: string,
  registers: Registry[],
): (all: readonly (readonly [labelValue: string, from: From])[]) => void {
  const gauges = rows.map(([name, help, value]) => ({
    gauge: new Gauge({ name, help, labelNames: [label], registers }),
    value,
  }));
  return (all) => {
    for (const { gauge, value } of gauges) {
      gauge.reset();
      for (const [labelValue, from] of all) gauge.set({ [label]: labelValue }, value(from));
    }
  };
}
