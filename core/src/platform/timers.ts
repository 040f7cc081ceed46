/** The longest wait of a timer, milliseconds. With a longer one the platform fires immediately. */
export const longestTimerMs: number = 2 ** 31 - 1;
