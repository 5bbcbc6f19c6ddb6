/** Runs `work` while no other process runs work under the same `subject`; see `lock.mjs`. */
export declare function withLock<T>(
  subject: string,
  work: () => Promise<T> | T,
  onWait?: () => void,
): Promise<T>;
