/** The longest wait that a timer can do, milliseconds; with a longer one the platform fires at once. */
export const longestTimerMs: number = 2 ** 31 - 1;
