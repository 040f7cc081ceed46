// The weather of a desk with several processes: the process that receives the request publishes it over Redis.
// PUB/SUB can lose a message while a connection is down. Only simulated faults tolerate that.

import type { Redis } from 'ioredis';
import * as inputs from '../src/inputs.ts';
import type { ForecastLink } from './weather.ts';

const channel = 'desk:weather';

export function redisForecasts(redis: Redis): ForecastLink & { close: () => void } {
  // A connection that subscribes cannot send other commands.
  const subscriber = redis.duplicate();
  subscriber.on('error', () => {}); // The hub logs it.
  void subscriber.subscribe(channel).catch(console.error);
  return {
    publish: async (forecast) => {
      await redis.publish(channel, JSON.stringify(forecast));
    },
    subscribe: (listener) => {
      subscriber.on('message', (_, text) => {
        const read = inputs.weather.safeParse(JSON.parse(text));
        if (read.success) listener(read.data);
      });
    },
    close: () => subscriber.disconnect(),
  };
}
