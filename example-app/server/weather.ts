// Bad weather on purpose: holds back or loses messages of one client's stream, so that one can watch the
// page recover. It stands between the hub and the network and knows nothing of either.

export interface Weather {
  set: (clientId: string, change: { delayMs?: number | undefined; drop?: number | undefined }) => void;
  /** The same stream, through the weather of that client. */
  over: (response: Response, clientId: string | null) => Response;
}

interface Sky {
  delayMs: number;
  drop: number;
}

/** So many clients have weather of their own. */
const mostSkies = 1000;

export function createWeather(): Weather {
  const skies = new Map<string, Sky>();

  const skyOf = (clientId: string): Sky => {
    const known = skies.get(clientId);
    if (known !== undefined) return known;
    const sky = { delayMs: 0, drop: 0 };
    skies.set(clientId, sky);
    const [oldest] = skies.keys();
    if (skies.size > mostSkies && oldest !== undefined) skies.delete(oldest);
    return sky;
  };

  return {
    set(clientId, { delayMs, drop }) {
      const sky = skyOf(clientId);
      sky.delayMs = delayMs ?? sky.delayMs;
      sky.drop = drop ?? sky.drop;
    },
    over(response, clientId) {
      if (clientId === null || response.body === null || response.status !== 200) return response;
      return new Response(response.body.pipeThrough(through(skyOf(clientId))), response);
    },
  };
}

/** Frames end with an empty line; they are passed on whole, late or not at all. */
function through(sky: Sky): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new TransformStream({
    async transform(chunk, controller) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      const kept = frames.filter((frame) => !isLost(frame, sky));
      if (kept.length === 0) return;
      if (sky.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, sky.delayMs));
      controller.enqueue(encoder.encode(kept.map((frame) => `${frame}\n\n`).join('')));
    },
  });
}

/** Greetings and heartbeats are not lost: the message itself has to be missing. */
function isLost(frame: string, sky: Sky): boolean {
  if (sky.drop === 0 || !frame.includes('"op"')) return false;
  sky.drop -= 1;
  return true;
}
