// Hidden properties of data layers, references, and the details of two events, for `@edict/core/internal`. The
// symbol is global, because a program may load this package twice: as an ES module and with `require`.

export const hidden: unique symbol = Symbol.for('@edict/core/internal');

/** Adds a value that is hidden from enumeration, copies, and comparisons. */
export const withHidden = <T extends object>(target: T, value: unknown): T =>
  Object.defineProperty(target, hidden, { value });

/**
 * The hidden value; `undefined` if there is none. The caller knows the kind of the object, and so the type of the
 * value.
 */
export const hiddenOf = (target: unknown): unknown => (Object(target) as { [hidden]?: unknown })[hidden];
