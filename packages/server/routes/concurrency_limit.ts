/** Limits how many requests of each caller are served at once; more are refused, not queued. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #underWay = new Map<number, number>();

  /** @param limit how many at a time for each caller */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns a function to call at the end, at least once; undefined when the limit is reached. */
  take(caller: number): (() => void) | undefined {
    const count = this.#underWay.get(caller) ?? 0;
    if (count >= this.#limit) return undefined;
    this.#underWay.set(caller, count + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = this.#underWay.get(caller)! - 1;
      if (left === 0) this.#underWay.delete(caller);
      else this.#underWay.set(caller, left);
    };
  }
}

/** Passes a stream on, and calls `end` when it ends, is cancelled or fails. */
export function endingWith(
  stream: ReadableStream<Uint8Array>,
  end: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
