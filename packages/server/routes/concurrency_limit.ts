/** Limits how many things each caller does at the same time; more are refused, not queued. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #underWay = new Map<number, number>();

  /** @param limit how many at a time for each caller */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A function to call at the end, once or more often; undefined when the limit is reached. */
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

/** Passes a stream on, and calls `end` when it is over: read to its end, cancelled or failed. */
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
