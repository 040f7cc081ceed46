// Ages in a dehydrated state (D-REACT-10). They are as of dehydration and do not include the time on the way.

/** Whether the value is an age: milliseconds that a date can express. */
export const isAge = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < 2 ** 42;

/** How long data may have been on its way. It may be this much older than its age, milliseconds. */
export const onItsWayMs = 60_000;

/** How long the adapters remember directives, milliseconds. Such data also has an age. */
export const rememberedMs: number = 2 * onItsWayMs;
