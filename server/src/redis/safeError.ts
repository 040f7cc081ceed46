// Errors of Redis and its driver, without sensitive data. The driver attaches the command and its arguments to
// each error. The arguments include passwords and payloads, and an application may log whole errors.

/** An error about Redis. Its message contains no argument of a command. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
  /** True when Redis itself refused the command. False when the connection failed or Redis did not respond in time. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal = false) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** Returns an error that is safe to log and to pass on. */
export function safeError(error: unknown): RedisError {
  if (error instanceof RedisError) return error;
  if (!(error instanceof Error)) return new RedisError('The Redis client failed without an error.');
  return new RedisError(messageOf(error), error.name === 'ReplyError');
}

function messageOf(error: Error): string {
  // Redis quotes the arguments of an unknown command. One of them can be a password.
  const [message = ''] = error.message.split(/,? with args beginning with/);
  // The driver blames one of its options when the connection is closing.
  if (message.includes('enableOfflineQueue')) return 'The connection ended.';
  if (message !== '') return message;
  // Node reports a failure of several addresses with a code and without a message.
  return 'code' in error ? `The connection failed (${String(error.code)}).` : 'The connection failed.';
}

/** Whether an error begins with this word, as the errors of Redis and of the scripts do. */
export const begins = (error: unknown, word: string): boolean =>
  error instanceof Error && error.message.startsWith(word);
