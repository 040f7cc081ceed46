// The messages on the wire as Zod schemas, for servers and tests. Unknown fields are accepted, because a newer server may send them.

import type {
  ClientDirective,
  CollectionName,
  Directive,
  DirectiveMeta,
  Envelope,
  TypeName,
} from '@edict/core';
import * as z from 'zod';
import { isPlainObject } from '../platform/plainObject.ts';
import { maxDepth, maxDirectives } from '../directives/normalize.ts';
import { paramsKey } from '../cache/params.ts';
import { countDirectives, targetsOf } from './targets.ts';

/** What `applyDirectives` accepts: both shapes of directives, which may be mixed within `targets`. */
export type AcceptedDirective =
  | Directive
  | ClientDirective
  | (DirectiveMeta & {
      /** Several directives as one. With a `name` instead of `targets`, it is the legacy shape. */
      op: 'invalidate';
      /** Directives of either shape. */
      targets: readonly AcceptedDirective[];
    });

const name = z.string().min(1);
const id = z.union([z.string(), z.number()]);
const level = name.nullish();
/** Not a record schema: its copy would lose an own property `__proto__`. */
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
    message: 'cannot be combined with a name: an invalidate has either targets or a name',
  });

const wrapperOf = <T extends z.ZodType>(target: () => T) =>
  z.looseObject({ ...meta, op: z.literal('invalidate'), targets: z.array(z.lazy(target)) });

const serverWrapper = wrapperOf((): z.ZodType<Directive> => serverShape);

type Frozen<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
type Known<T> = { [K in keyof T as string extends K ? never : K]: Frozen<T[K]> };
type Same<A, B> = [A, B, keyof B] extends [B, A, keyof A] ? true : false;
type IsOpen = [string, string] extends [TypeName, CollectionName] ? true : false;

/** The schema of each operation. An operation without a schema does not compile. */
interface Schemas {
  refresh_collection: typeof refreshCollection;
  refresh_item: typeof refreshItem;
  invalidate: typeof serverWrapper;
  force_reload_page: typeof forceReloadPage;
}

/**
 * The declared type if Zod infers the same type, otherwise `unknown`, which does not compile below. The comparison
 * works only without a `Register`, because it narrows the declared names. In messages, a name is any string.
 */
type Proven<Schema extends z.ZodType, Written> = IsOpen extends false
  ? Written
  : Same<Omit<Known<z.infer<Schema>>, 'key'>, Written> extends true
    ? Written
    : unknown;

// The cast changes only the names. `Proven` compares everything else.
const serverShape: z.ZodType<Directive> = z.discriminatedUnion('op', [
  refreshCollection,
  refreshItem,
  serverWrapper,
  forceReloadPage,
]) as z.ZodType as z.ZodType<
  { [Op in Directive['op']]: Proven<Schemas[Op], Extract<Directive, { op: Op }>> }[Directive['op']]
>;

// `serverShape` and `clientDirectiveSchema` compare the types of these members.
const anyShape: z.ZodType<AcceptedDirective> = z.union([
  refreshCollection,
  refreshItem,
  wrapperOf((): z.ZodType<AcceptedDirective> => anyShape),
  forceReloadPage,
  clientShape,
]) as z.ZodType as z.ZodType<AcceptedDirective>;

function isTooDeep(input: unknown): boolean {
  let line: readonly unknown[] = [input];
  for (let depth = 0; depth <= maxDepth; depth++) line = line.flatMap(targetsOf);
  return line.length > 0;
}

/** Checks the limits before Zod visits the targets: deep nesting would overflow its stack (D-DIR-10). */
const bounded = z
  .unknown()
  .refine((input) => countDirectives([input]) <= maxDirectives, {
    message: `contains more than ${maxDirectives} directives`,
    abort: true,
  })
  .refine((input) => !isTooDeep(input), { message: `is nested deeper than ${maxDepth}`, abort: true });

/** One directive of the server contract, nested at most 8 deep, with at most 10,000 directives in all. */
export const directiveSchema: z.ZodType<Directive> = bounded.pipe(serverShape);

/** One directive of the legacy client shape. Its `invalidate` has no `targets`. */
export const clientDirectiveSchema: z.ZodType<ClientDirective> = clientShape;

/** One directive that `applyDirectives` accepts: of either shape, which may be mixed within `targets`. */
export const acceptedDirectiveSchema: z.ZodType<AcceptedDirective> = bounded.pipe(anyShape);

/**
 * One message of the stream. Its directives are not validated: a client drops an invalid one and applies the others. An empty list is a
 * heartbeat or a greeting.
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
