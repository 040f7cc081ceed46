// Requests that are expected to be refused.

import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ErrorBody {
  error: { code: string; message: string; audience?: string };
}

/** Sends a request and reads the JSON response. */
export async function requestJson(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; body: ErrorBody; headers: Headers }> {
  const response = await fetch(url, init);
  const body = (await response.json()) as ErrorBody; // The tests check its members.
  return { status: response.status, body, headers: response.headers };
}

/** Sends bytes unchanged and resolves to the first bytes of the response. */
export function sendRaw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.once('data', (data) => resolve(data.toString('latin1')));
    socket.once('close', () => reject(new Error('The server closed the socket.'))).on('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}
