// Ages in a dehydrated state (D-REACT-10). They are measured at dehydration and do not include the transfer time.

/** Whether the value is an age: milliseconds that a date can express. */
export const isAge = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < 2 ** 42;

/** The maximum transfer time of data, in milliseconds. The data may be this much older than its age. */
export const maxTransferMs = 60_000;
