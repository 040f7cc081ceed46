// Delays or drops messages of one client's stream on purpose, to show how the page recovers. It works on the response of
// the hub.

/** A change of the weather of one client. */
export interface Forecast {
  clientId: string;
  delayMs?: number | undefined;
  /** The number of next messages that are lost. */
  drop?: number | undefined;
}

/** Sends forecasts to all processes of the desk, because the stream may be at any of them. */
export interface ForecastLink {
  publish: (forecast: Forecast) => Promise<void>;
  subscribe: (listener: (forecast: Forecast) => void) => void;
}

export interface Weather {
  /** Resolves when it applies at this process. At others it applies a little later. */
  set: (forecast: Forecast) => Promise<void>;
  /** Returns the response with the weather of the client applied. */
  over: (response: Response, clientId: string | null) => Response;
}

interface Sky {
  delayMs: number;
  drop: number;
  /** A message was dropped. Every process counts it. */
  onLoss: () => void;
}

/** The largest number of clients with weather of their own. */
const mostSkies = 1000;

export function createWeather(link: ForecastLink = oneProcess()): Weather {
  const skies = new Map<string, Sky>();

  const skyOf = (clientId: string): Sky => {
    const known = skies.get(clientId);
    if (known !== undefined) return known;
    const sky: Sky = {
      delayMs: 0,
      drop: 0,
      onLoss: () => void link.publish({ clientId, drop: sky.drop }).catch(console.error),
    };
    skies.set(clientId, sky);
    const [oldest] = skies.keys();
    if (skies.size > mostSkies && oldest !== undefined) skies.delete(oldest);
    return sky;
  };

  link.subscribe(({ clientId, delayMs, drop }) => {
    const sky = skyOf(clientId);
    sky.delayMs = delayMs ?? sky.delayMs;
    sky.drop = drop ?? sky.drop;
  });

  return {
    set: (forecast) => link.publish(forecast),
    over(response, clientId) {
      if (clientId === null || response.body === null || response.status !== 200) return response;
      return new Response(response.body.pipeThrough(through(skyOf(clientId))), response);
    },
  };
}

/** For a single process. */
function oneProcess(): ForecastLink {
  let listener: (forecast: Forecast) => void = () => {};
  return {
    publish: async (forecast) => listener(forecast),
    subscribe: (next) => {
      listener = next;
    },
  };
}

/** Delivers whole frames in order. Each is delayed by the same time, as on a slow network. */
function through(sky: Sky): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  /** The number of chunks that are being delayed. */
  let delayed = 0;
  let last: Promise<unknown> = Promise.resolve();
  return new TransformStream({
    transform(chunk, controller) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      const kept = frames.filter((frame) => !isLost(frame, sky));
      if (kept.length === 0) return;
      const deliver = (): void =>
        controller.enqueue(encoder.encode(kept.map((frame) => `${frame}\n\n`).join('')));
      if (sky.delayMs === 0 && delayed === 0) return deliver();
      delayed += 1;
      const arrival = new Promise((resolve) => setTimeout(resolve, sky.delayMs));
      last = Promise.all([last, arrival])
        .then(deliver)
        .catch(() => {}) // The client has disconnected.
        .finally(() => (delayed -= 1));
    },
    flush: async () => void (await last),
  });
}

/** Only messages with directives are dropped, so that a drop is always a gap. */
function isLost(frame: string, sky: Sky): boolean {
  if (sky.drop === 0 || !frame.includes('"op"')) return false;
  sky.drop -= 1;
  sky.onLoss();
  return true;
}
