// Where a data layer, a reference, and the details of two events keep what `@edict/core/internal` returns. The symbol is global, because a
// program may load this package twice, once as an ES module and once with `require`.

export const hidden: unique symbol = Symbol.for('@edict/core/internal');

/** Adds a value that no enumeration, copy, or comparison sees. */
export const withHidden = <T extends object>(target: T, value: unknown): T =>
  Object.defineProperty(target, hidden, { value });

/** The hidden value, `undefined` where there is none. The caller knows which kind of object it passes, and so the type. */
export const hiddenOf = (target: unknown): unknown => (Object(target) as { [hidden]?: unknown })[hidden];
