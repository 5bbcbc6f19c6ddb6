import { JSON_MEDIA_TYPE, type RequestForm, type Shape } from "@sabika/protocol";
import type { Content, Reply } from "./operation.ts";

/** A body of JSON. */
export function json(shape: Shape, example: unknown): Content {
  return { mediaType: JSON_MEDIA_TYPE, shape, example };
}

/** The good answer of a read. */
export function ok(says: string, shape: Shape, example: unknown): Reply {
  return { status: 200, says, contents: [json(shape, example)] };
}

/** The body that a request must have. */
export function body<T>({ shape }: RequestForm<T>, example: unknown) {
  return { ...json(shape, example), isRequired: true };
}

/** The two good answers of a write with an Idempotency-Key (Decision D28). */
export function written(says: string, shape: Shape, example: unknown, first = 201): Reply[] {
  const contents = [json(shape, example)];
  const replay = "The same key again: the first answer, byte for byte.";
  return [{ status: first, says, contents }, {
    status: 200,
    says: replay,
    contents,
    isReplay: true,
  }];
}
