/** Parts of a stack that are being started again because they ended by themselves. */
export type Restarts = ReturnType<typeof createRestarts>;

/** Restarts what ended without being stopped, as a container engine does. */
export function createRestarts(progress: (line: string) => void) {
  const underWay = new Set<Promise<void>>();
  return {
    /** Starts a part again; a failure is reported and ends nothing. */
    again(reason: string, start: () => Promise<void>) {
      progress(`${reason}: it is started again`);
      const done = start().catch((error: Error) => progress(error.message))
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    /** Resolves when no start is under way: whoever stops the parts waits for this first. */
    settled: async () => void await Promise.all(underWay),
  };
}
