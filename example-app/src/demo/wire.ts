// The line between one client and the server: a `fetch` that can deliver the messages of a stream late, lose one, or be cut.
// Every byte comes from the real server. Only the delivery is disturbed.

import { createSignal } from '../signal.ts';

export interface Faults {
  /** How late each message is delivered, in milliseconds. */
  delayMs: number;
  /** The number of next messages that are lost. */
  drop: number;
  /** Nothing is transferred in either direction. */
  isCut: boolean;
}

export interface WireMessage {
  /** The text after `data:`. */
  data: string;
  /** A late message is reported twice: when it arrives, and when it is delivered. */
  fate: 'on time' | 'late' | 'delivered' | 'lost';
}

export interface Wire {
  /** The platform's `fetch`, over this wire. */
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  faults: () => Faults;
  set: (faults: Partial<Faults>) => void;
  /** Notifies when the faults change. */
  subscribe: (listener: () => void) => () => void;
  /** The number of read requests that were sent. */
  reads: () => number;
  /** Aborts when the wire is cut. While it is cut, the signal is aborted. */
  cutSignal: () => AbortSignal;
}

interface Needs {
  /** Calls back for each message when the server's bytes arrive, before the wire delivers or loses them. */
  onMessage?: (message: WireMessage) => void;
  /** Calls back when a stream opens, before its first message. */
  onOpen?: () => void;
  /** Whether a frame announces a change. Only such frames are lost. */
  isChange: (data: string) => boolean;
}

const broken = (): Error => new Error('The wire is cut.');

export function createWire({ onMessage, onOpen, isChange }: Needs): Wire {
  const { subscribe, announce } = createSignal();
  let faults: Faults = { delayMs: 0, drop: 0, isCut: false };
  let reads = 0;
  /** Ends all requests and streams in flight when the wire is cut. */
  let whole = new AbortController();

  function set(next: Partial<Faults>): void {
    const wasCut = faults.isCut;
    faults = { ...faults, ...next };
    if (faults.isCut && !wasCut) whole.abort(broken());
    if (!faults.isCut && wasCut) whole = new AbortController();
    announce();
  }

  function judge(data: string): 'on time' | 'late' | 'lost' {
    if (faults.drop > 0 && isChange(data)) {
      set({ drop: faults.drop - 1 });
      return 'lost';
    }
    return faults.delayMs > 0 ? 'late' : 'on time';
  }

  /** Passes the frames on, whole and in their order. */
  function carry(body: ReadableStream<Uint8Array>, cut: AbortSignal): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    let rest = '';
    let queued = 0;
    let last: Promise<unknown> = Promise.resolve();
    const lane = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => cut.addEventListener('abort', () => controller.error(cut.reason)),
      transform(bytes, controller) {
        const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const data = dataOf(frame);
          const fate = data === null ? 'on time' : judge(data);
          if (data !== null) onMessage?.({ data, fate });
          if (fate !== 'lost') pass(frame, data, controller);
        }
      },
    });

    type Controller = TransformStreamDefaultController<Uint8Array>;
    function pass(frame: string, data: string | null, controller: Controller): void {
      const deliver = (): void => {
        if (!cut.aborted) controller.enqueue(encoder.encode(`${frame}\n\n`));
      };
      if (faults.delayMs === 0 && queued === 0) return deliver();
      queued += 1;
      const due = new Promise((resolve) => setTimeout(resolve, faults.delayMs));
      last = Promise.all([last, due])
        .then(deliver)
        .then(() => data !== null && !cut.aborted && onMessage?.({ data, fate: 'delivered' }))
        .catch(() => {}) // The client closed the stream meanwhile.
        .finally(() => (queued -= 1));
    }
    return body.pipeThrough(lane);
  }

  return {
    async fetch(input, init) {
      if (faults.isCut) throw broken();
      const cut = whole.signal;
      const signals = [cut, init?.signal].filter((one) => one instanceof AbortSignal);
      // The client asks for a stream with this header, so that a read can be counted before its response.
      const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream';
      if (!isStream && (init?.method ?? 'GET') === 'GET') reads += 1;
      const response = await globalThis.fetch(input, { ...init, signal: AbortSignal.any(signals) });
      const type = response.headers.get('content-type');
      if (response.body === null || type?.startsWith('text/event-stream') !== true) return response;
      onOpen?.();
      return new Response(carry(response.body, cut), response);
    },
    faults: () => faults,
    set,
    subscribe,
    reads: () => reads,
    cutSignal: () => whole.signal,
  };
}

const dataOf = (frame: string): string | null => /^data: ?(.*)$/m.exec(frame)?.[1] ?? null;
