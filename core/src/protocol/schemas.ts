// The wire in Zod, for servers and tests. Fields that nobody knows are let through: a newer server may send them.

import type {
  ClientDirective,
  CollectionName,
  Directive,
  DirectiveMeta,
  Envelope,
  ForceReloadPageDirective,
  InvalidateDirective,
  RefreshCollectionDirective,
  RefreshItemDirective,
  TypeName,
} from '@edict/core';
import * as z from 'zod';
import { isPlainObject } from '../cache/structuralSharing.ts';
import { countDirectives, maxDepth, maxDirectives, targetsOf } from '../directives/normalize.ts';
import { paramsKey } from '../cache/params.ts';

/** What `applyDirectives` accepts: both shapes, also mixed within `targets` (D-DIR-1). */
export type AcceptedDirective =
  | Directive
  | ClientDirective
  | (DirectiveMeta & {
      /** The wrapper; with a `name` instead of `targets` it is the legacy shape. */
      op: 'invalidate';
      /** Of either shape. */
      targets: readonly AcceptedDirective[];
    });

const name = z.string().min(1);
const id = z.union([z.string(), z.number()]);
const level = name.nullish();
/** Not a record schema, which would make a copy and lose an own `__proto__`. */
const params = z
  .custom<object>(isPlainObject, 'must be an object')
  .check((context) => {
    try {
      paramsKey(context.value);
    } catch (error) {
      const message = error instanceof TypeError ? error.message : 'params cannot be read';
      context.issues.push({ code: 'custom', message, input: context.value });
    }
  })
  .nullish();

const meta = {
  idempotency_key: z.string().nullish(),
  key: z.string().nullish(),
  timestamp: z.number().nullish(),
  audience: z.string().nullish(),
  source: z.string().nullish(),
  seq: z.number().nullish(),
};

const refreshCollection = z.looseObject({
  ...meta,
  op: z.literal('refresh_collection'),
  name,
  params,
  params_mode: z.enum(['exact', 'contains']).nullish(),
  result: z.unknown().optional(),
});

const refreshItem = z.looseObject({
  ...meta,
  op: z.literal('refresh_item'),
  name,
  id,
  level,
  result: z.unknown().optional(),
});

const forceReloadPage = z.looseObject({
  ...meta,
  op: z.literal('force_reload_page'),
  hard: z.boolean().nullish(),
});

const clientShape = z
  .looseObject({
    ...meta,
    op: z.enum(['refresh', 'invalidate']),
    kind: z.enum(['collection', 'item']).nullish(),
    name,
    id: id.nullish(),
    level,
    params,
  })
  .refine((it) => it.op === 'invalidate' || it.kind !== 'item' || (it.id ?? null) !== null, {
    path: ['id'],
    message: 'must be a string or a number',
  })
  .refine((it) => it.op === 'refresh' || (it['targets'] ?? null) === null, {
    path: ['targets'],
    message: 'belongs to the other shape of invalidate',
  });

const wrapperOf = <T extends z.ZodType>(target: () => T) =>
  z.looseObject({ ...meta, op: z.literal('invalidate'), targets: z.array(z.lazy(target)) });

const serverWrapper = wrapperOf((): z.ZodType<Directive> => serverShape);

type Frozen<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
type Known<T> = { [K in keyof T as string extends K ? never : K]: Frozen<T[K]> };
type Same<A, B> = [A, B, keyof B] extends [B, A, keyof A] ? true : false;
type IsOpen = [string, string] extends [TypeName, CollectionName] ? true : false;

/**
 * The written type if Zod infers the same, else `unknown`, which does not compile below. Only where nothing is registered:
 * an application's `Register` narrows the written names, while on the wire a name is any string.
 */
type Proven<Schema extends z.ZodType, Written extends { op: string }> = IsOpen extends false
  ? Extract<Directive, { op: Written['op'] }>
  : Same<Omit<Known<z.infer<Schema>>, 'key'>, Written> extends true
    ? Written
    : unknown;

// The cast widens names to those of the written types and proves the rest, see above.
const serverShape: z.ZodType<Directive> = z.discriminatedUnion('op', [
  refreshCollection,
  refreshItem,
  serverWrapper,
  forceReloadPage,
]) as z.ZodType as z.ZodType<
  | Proven<typeof refreshCollection, RefreshCollectionDirective>
  | Proven<typeof refreshItem, RefreshItemDirective>
  | Proven<typeof serverWrapper, InvalidateDirective>
  | Proven<typeof forceReloadPage, ForceReloadPageDirective>
>;

// The cast: the members are those proven above, and the client shape, which `clientDirectiveSchema` proves.
const anyShape: z.ZodType<AcceptedDirective> = z.union([
  refreshCollection,
  refreshItem,
  wrapperOf((): z.ZodType<AcceptedDirective> => anyShape),
  forceReloadPage,
  clientShape,
]) as z.ZodType as z.ZodType<AcceptedDirective>;

function isTooDeep(input: unknown): boolean {
  let line: readonly unknown[] = [input];
  for (let depth = 0; depth <= maxDepth; depth++)
    line = line.flatMap((directive) => targetsOf(directive) ?? []);
  return line.length > 0;
}

/** Looks before Zod goes down into the targets: what is too deep would overflow its stack (D-DIR-10). */
const bounded = z
  .unknown()
  .refine((input) => countDirectives([input]) <= maxDirectives, {
    message: `holds more than ${maxDirectives} directives`,
    abort: true,
  })
  .refine((input) => !isTooDeep(input), { message: `is nested deeper than ${maxDepth}`, abort: true });

/** One directive of the server contract (document §2.1), at most 8 deep and 10,000 in all (D-DIR-10). */
export const directiveSchema: z.ZodType<Directive> = bounded.pipe(serverShape);

/** One directive of the client shape (document §2.2). `invalidate` here is the legacy one, without `targets`. */
export const clientDirectiveSchema: z.ZodType<ClientDirective> = clientShape;

/** Whatever `applyDirectives` accepts: either shape, also mixed within `targets` (D-DIR-1). */
export const acceptedDirectiveSchema: z.ZodType<AcceptedDirective> = bounded.pipe(anyShape);

/**
 * One message of the stream (document §2.3). Its directives are not looked into: a client drops a wrong one and applies its
 * neighbours (D-DIR-2). An empty list is a position, a heartbeat or a greeting (D-SSE-7).
 */
export const envelopeSchema: z.ZodType<Envelope> = z.looseObject({
  type: z.literal('directives'),
  seq: z.number().nullish(),
  audience: z.string().nullish(),
  source: z.string().nullish(),
  directives: z.array(z.unknown()),
  recovered: z.boolean().nullish(),
  heartbeat_ms: z.number().nullish(),
});
