import { JSON_MEDIA_TYPE, type RequestForm, type Shape } from "@sabika/protocol";
import type { Content, Reply } from "./operation.ts";

/** Makes the content of a JSON body. */
export function json(shape: Shape, example: unknown): Content {
  return { mediaType: JSON_MEDIA_TYPE, shape, example };
}

/** Makes the 200 answer of a read. */
export function ok(description: string, shape: Shape, example: unknown): Reply {
  return { status: 200, description, contents: [json(shape, example)] };
}

/** Makes the JSON body that a request must have. */
export function body<T>({ shape }: RequestForm<T>, example: unknown) {
  return { ...json(shape, example), isRequired: true };
}

/** Makes the two successful answers of a write with an Idempotency-Key: first and replayed (Decision D28). */
export function written(description: string, shape: Shape, example: unknown, first = 201): Reply[] {
  const contents = [json(shape, example)];
  const replay = "The same key again: the first answer, byte for byte.";
  return [{ status: first, description, contents }, {
    status: 200,
    description: replay,
    contents,
    isReplay: true,
  }];
}
