/** Lets each caller do something so many times at once; more of it is refused, not queued. */
export class FewAtOnce {
  readonly #most: number;
  readonly #underWay = new Map<number, number>();

  /** @param most how many for each caller */
  constructor(most: number) {
    this.#most = most;
  }

  /** A function to call at the end, once or more often; undefined when too many are under way. */
  take(caller: number): (() => void) | undefined {
    const count = this.#underWay.get(caller) ?? 0;
    if (count >= this.#most) return undefined;
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

/** The same stream, which calls `end` when it is over: read, broken off or given up. */
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
