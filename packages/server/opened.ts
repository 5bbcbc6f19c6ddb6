/** What has been opened so far, to be closed in the reverse order. */
export interface Opened {
  /** Takes note of how one more is closed. */
  add(close: () => Promise<void> | void): void;
  /** Closes everything; there is nothing left then. */
  close(): Promise<void>;
  isEmpty(): boolean;
}

/** Nothing is open yet; what is added last is closed first. */
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

/** Opens something part by part; what was opened is closed again when this fails. */
export async function openParts<T>(open: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = createOpened();
  try {
    return await open(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
