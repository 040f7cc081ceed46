// Checks the input of requests. Errors have messages for users.

import type { Context } from 'hono';
import type { ZodType } from 'zod';
import { DeskError } from './desk/errors.ts';

/** Reads and checks a JSON body. Throws a 400, 415 or 422 with the reason. */
export async function readBody<T>(c: Context, schema: ZodType<T>): Promise<T> {
  // Forms of other sites cannot send this type without a preflight request.
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new DeskError(415, 'not_json', 'The body has to be JSON.');
  }
  let value: unknown;
  try {
    value = await c.req.json();
  } catch {
    throw new DeskError(400, 'bad_json', 'The body is not readable as JSON.');
  }
  return check(schema, value);
}

/** A 422 with a message for each field that is wrong. */
export function check<T>(schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  // Reversed, because the first message of a field counts, and `fromEntries` keeps the last.
  const fields = Object.fromEntries(
    issues.toReversed().map(({ path, message }) => [path.map(String).join('.'), message]),
  );
  throw new DeskError(422, 'invalid', issues[0]?.message ?? 'The input is not valid.', fields);
}
