import { JSON_MEDIA_TYPE, type Shape } from "@sabika/protocol";
import type { Content, Reply } from "./operation.ts";

/** A body of JSON. */
export function json(shape: Shape, example: unknown): Content {
  return { mediaType: JSON_MEDIA_TYPE, shape, example };
}

/** The good answer of a read. */
export function ok(says: string, shape: Shape, example: unknown): Reply {
  return { status: 200, says, contents: [json(shape, example)] };
}

/** The two good answers of a write with an Idempotency-Key (Decision D28). */
export function written(says: string, shape: Shape, example: unknown): Reply[] {
  const contents = [json(shape, example)];
  const replay = "The same key again: the first answer, byte for byte.";
  return [{ status: 201, says, contents }, { status: 200, says: replay, contents, isReplay: true }];
}
