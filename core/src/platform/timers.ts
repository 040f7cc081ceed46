/** The longest timer, in milliseconds. The platform fires a longer one immediately. */
export const longestTimerMs: number = 2_147_483_647;
