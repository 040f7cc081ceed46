import { expect, it } from 'vitest';
import { safeError, type RedisError } from '../../src/redis/safeError.ts';
import { checkServer } from '../../src/redis/supportedServer.ts';

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

it.each([
  [
    'of an unknown command, whose arguments Redis quotes',
    refusal("ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'user' 'secret'"),
    "ERR unknown command 'HELLO'",
    true,
  ],
  [
    'of a connection that failed at several addresses',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'The connection failed (ECONNREFUSED).',
    false,
  ],
  ['without a message and a code', new Error(''), 'The connection failed.', false],
  [
    'of a closing connection, for which the driver blames its option',
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    'The connection ended.',
    false,
  ],
  ['that is none', 'secret', 'The Redis client failed without an error.', false],
])('an error %s says what happened, without secrets', (_, error, message, isRefusal) => {
  const safe = safeError(Object.assign(Object(error), { command: { args: ['secret'] } }));
  expect(safe).toMatchObject({ message, isRefusal });
  expect(safe).not.toHaveProperty('command');
});

it.each([
  [
    'does not know HELLO, as some proxies',
    () => Promise.reject(refusal("ERR unknown command 'HELLO'")),
    null,
  ],
  ['reports no role', async () => ['mode', 'standalone'], null],
  [
    'wants a password',
    () => Promise.reject(refusal('NOAUTH HELLO must be called with')),
    'NOAUTH HELLO must be called with',
  ],
  ['does not respond', () => Promise.reject(new Error('ERR')), 'ERR'],
])('a server that %s is accepted or refused', async (_, call, refused) => {
  const outcome = await checkServer({ call }).then(
    () => null,
    (error: RedisError) => error.message,
  );
  expect(outcome).toBe(refused);
});
