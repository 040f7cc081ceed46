// The ages of data that comes from elsewhere (D-REACT-10): they were told where it comes from, and say nothing of the way.

/** Of an entry in a dehydrated state: milliseconds that a date can be told of. */
export const isAge = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < 2 ** 42;

/** How long data may have been on its way: it may be this much older than it looks, milliseconds. */
export const onItsWayMs = 60_000;

/** For so long it is remembered what was said here, milliseconds: such data has an age as well. */
export const rememberedMs: number = 2 * onItsWayMs;
