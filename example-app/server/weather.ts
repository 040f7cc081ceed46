// Bad weather on purpose: holds back or loses messages of one client's stream, so that one can watch the
// page recover. It stands between the hub and the network and knows nothing of either.

/** How it is to be for one client from now on; what is not named stays as it is. */
export interface Forecast {
  clientId: string;
  delayMs?: number | undefined;
  /** So many of the next messages get lost. */
  drop?: number | undefined;
}

/** Carries forecasts to all processes of the desk, this one included: a stream may be at any of them. */
export interface ForecastLink {
  tell: (forecast: Forecast) => Promise<void>;
  hear: (listener: (forecast: Forecast) => void) => void;
}

export interface Weather {
  /** Resolves when it holds at this process; at others it does a moment later. */
  set: (forecast: Forecast) => Promise<void>;
  /** The same stream, through the weather of that client. */
  over: (response: Response, clientId: string | null) => Response;
}

interface Sky {
  delayMs: number;
  drop: number;
  /** One message less is to get lost, wherever the client goes next. */
  onLoss: () => void;
}

/** So many clients have weather of their own. */
const mostSkies = 1000;

export function createWeather(link: ForecastLink = oneProcess()): Weather {
  const skies = new Map<string, Sky>();

  const skyOf = (clientId: string): Sky => {
    const known = skies.get(clientId);
    if (known !== undefined) return known;
    const sky: Sky = {
      delayMs: 0,
      drop: 0,
      onLoss: () => void link.tell({ clientId, drop: sky.drop }).catch(console.error),
    };
    skies.set(clientId, sky);
    const [oldest] = skies.keys();
    if (skies.size > mostSkies && oldest !== undefined) skies.delete(oldest);
    return sky;
  };

  link.hear(({ clientId, delayMs, drop }) => {
    const sky = skyOf(clientId);
    sky.delayMs = delayMs ?? sky.delayMs;
    sky.drop = drop ?? sky.drop;
  });

  return {
    set: (forecast) => link.tell(forecast),
    over(response, clientId) {
      if (clientId === null || response.body === null || response.status !== 200) return response;
      return new Response(response.body.pipeThrough(through(skyOf(clientId))), response);
    },
  };
}

/** Where there is one process, telling is hearing. */
function oneProcess(): ForecastLink {
  let listener: (forecast: Forecast) => void = () => {};
  return {
    tell: async (forecast) => listener(forecast),
    hear: (next) => {
      listener = next;
    },
  };
}

/**
 * Frames end with an empty line; they are passed on whole, late or not at all, and in their order. Each is late
 * by the same time, as on a long way; they do not wait for each other to arrive.
 */
function through(sky: Sky): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  /** What is still on its way. */
  let underWay = 0;
  let last: Promise<unknown> = Promise.resolve();
  return new TransformStream({
    transform(chunk, controller) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      const kept = frames.filter((frame) => !isLost(frame, sky));
      if (kept.length === 0) return;
      const passOn = (): void =>
        controller.enqueue(encoder.encode(kept.map((frame) => `${frame}\n\n`).join('')));
      if (sky.delayMs === 0 && underWay === 0) return passOn();
      underWay += 1;
      const arrival = new Promise((resolve) => setTimeout(resolve, sky.delayMs));
      last = Promise.all([last, arrival])
        .then(passOn)
        .catch(() => {}) // The reader has left meanwhile.
        .finally(() => (underWay -= 1));
    },
    flush: async () => void (await last),
  });
}

/** Greetings and heartbeats are not lost: the message itself has to be missing. */
function isLost(frame: string, sky: Sky): boolean {
  if (sky.drop === 0 || !frame.includes('"op"')) return false;
  sky.drop -= 1;
  sky.onLoss();
  return true;
}
