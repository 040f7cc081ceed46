// The data layer with React Native's own APIs for streams, ids, the background state, and the network.

import { createDataLayer, defineCollection, defineItem, type Env } from '@edict/core';
import { uuid } from 'expo';
import { fetch as streamingFetch } from 'expo/fetch';
import * as Network from 'expo-network';
import { AppState } from 'react-native';

/** The address of the API, as the phone reaches it. */
export const api = process.env.EXPO_PUBLIC_API ?? 'http://localhost:3000';

let isOnline = true;

/** An app in the background closes its stream, and catches up when it returns. */
const page: NonNullable<Env['page']> = {
  isVisible: () => AppState.currentState !== 'background',
  isOnline: () => isOnline,
  onChange(callback) {
    const state = AppState.addEventListener('change', () => callback('visibility'));
    const network = Network.addNetworkStateListener(({ isConnected }) => {
      isOnline = isConnected !== false;
      callback('network');
    });
    return () => {
      state.remove();
      network.remove();
    };
  },
};

export interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

async function getJson<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(api + path, { signal });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.json();
}

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => getJson<Ticket | null>(`/api/tickets/${id}`, signal),
});
export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (_, { signal }) => getJson<Ticket[]>('/api/tickets', signal),
});

export const dl = createDataLayer({
  env: {
    // React Native's own `fetch` does not stream.
    fetch: streamingFetch,
    newId: uuid.v4,
    page,
  },
  register: [ticket, tickets],
});
// A refetch that fails while the API does not respond is repeated.
dl.init({ sse: { baseUrl: api, pauseHidden: true }, bulk: { retryFailedMs: 2000 } });
