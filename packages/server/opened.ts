/** What has been opened so far, to be closed in the reverse order. */
export interface Opened {
  /** Adds a function that closes something. */
  add(close: () => Promise<void> | void): void;
  /** Closes everything, and empties the list. */
  close(): Promise<void>;
  isEmpty(): boolean;
}

/** Creates an empty list; what is added last is closed first. */
export function createOpened(): Opened {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add: (close) => void closers.push(close),
    async close() {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    },
    isEmpty: () => closers.length === 0,
  };
}

/** Opens several parts; when that fails, the parts that were opened are closed again. */
export async function openParts<T>(open: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = createOpened();
  try {
    return await open(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
