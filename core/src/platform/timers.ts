/** The longest timer, in milliseconds. The platform fires a longer one immediately. */
export const longestTimerMs: number = 2 ** 31 - 1;
