/** Takes the lock at `path` unless a process holds it; returns how to release it, or its holder's id. */
export declare function takeLock(
  path: string,
): Promise<
  { release(): Promise<void>; holder?: undefined } | { holder: number; release?: undefined }
>;
