// The weather of a desk with several processes: the one that is asked tells the others over Redis.
// PUB/SUB may lose a message while a link is down. That is good enough for bad weather, and for nothing else here.

import type { Redis } from 'ioredis';
import * as inputs from '../src/inputs.ts';
import type { ForecastLink } from './weather.ts';

const channel = 'desk:weather';

export function redisForecasts(redis: Redis): ForecastLink & { close: () => void } {
  // A connection that listens cannot do anything else.
  const listening = redis.duplicate();
  listening.on('error', () => {}); // The hub says so.
  void listening.subscribe(channel).catch(console.error);
  return {
    tell: async (forecast) => {
      await redis.publish(channel, JSON.stringify(forecast));
    },
    hear: (listener) => {
      listening.on('message', (_, text) => {
        const read = inputs.weather.safeParse(JSON.parse(text));
        if (read.success) listener(read.data);
      });
    },
    close: () => listening.disconnect(),
  };
}
