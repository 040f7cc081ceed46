// What the tests of the middlewares send, and a hub that reports what it receives.

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Directive } from '@edict/core/protocol';
import type { Hub } from '../../src/index.ts';
import { hubForTest } from '../support/servers.ts';

export const ticket = (id: number, more: object = {}): Directive => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});

/** The headers of a client that wants the directives in the response. */
export const asks = { 'x-service-client-id': 'me', 'x-service-directive-request': 'send me directives' };

/** A hub that reports the source of each list that it receives. */
export function toldHub(): { hub: Hub; next: () => Promise<unknown> } {
  const hub = hubForTest();
  const sources: unknown[] = [];
  const waiting: ((source: unknown) => void)[] = [];
  return {
    hub: {
      ...hub,
      emit(list, emitOptions) {
        const tell = waiting.shift();
        if (tell === undefined) sources.push(emitOptions?.source);
        else tell(emitOptions?.source);
        return hub.emit(list, emitOptions);
      },
    },
    next: () =>
      sources.length > 0 ? Promise.resolve(sources.shift()) : new Promise((told) => void waiting.push(told)),
  };
}

/** Sends a mutation and disconnects at the first byte of the response. */
export async function sendAndLeave(url: string): Promise<void> {
  const leaving = request(url, { method: 'PUT', headers: asks }).end();
  const [response] = (await once(leaving, 'response')) as [IncomingMessage]; // Node documents this type.
  await once(response, 'data');
  leaving.destroy();
}
