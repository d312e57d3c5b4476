// Handlers return only the inner value of a response. `createRoutes()` adds the envelope that the
// contract declares.
import { z } from 'zod';

/**
 * The return type of a handler: the value of `data` if that is the only field of the response,
 * nothing if the response is `{success: true}`, otherwise the response itself.
 */
export type HandlerResult<S extends z.ZodType> =
  S extends z.ZodObject<z.ZodRawShape, z.core.$ZodObjectConfig>
    ? Unwrapped<z.input<S>>
    : z.input<S>;

type Unwrapped<Result> = Result extends { data: infer Data }
  ? [keyof Result] extends ['data']
    ? Data
    : Result
  : [keyof Result] extends ['success' | 'message']
    ? { success: true } extends Result
      ? void
      : Result
    : Result;

/** Returns the function that adds the envelope of this response to the handler's return value. */
export function selectEnvelope(schema: z.ZodType | undefined): (value: unknown) => unknown {
  if (!(schema instanceof z.ZodObject)) return (value) => value;
  const keys = Object.keys(schema.shape);
  if (keys.length === 1 && keys[0] === 'data') return (data) => ({ data });
  const isDone =
    keys.every((key) => key === 'success' || key === 'message') &&
    schema.safeParse({ success: true }).success;
  return isDone ? () => ({ success: true }) : (value) => value;
}
