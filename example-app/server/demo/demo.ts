// The rooms of the demo: one for each visitor, in memory, and deleted when it is idle.

import { randomUUID } from 'node:crypto';
import { createHub, type Hub } from '@edict/server';
import { demoAudience } from '../../src/demo/model.ts';
import { createRoom, type Room } from './room.ts';

export interface Demo {
  hub: Hub;
  /** Makes a room, and returns its name. */
  open: () => string;
  /** The room, which counts as used now. Null: it was idle for too long. */
  enter: (name: string) => Room | null;
  /** Whether the simulated colleagues of the room work. */
  setColleagues: (name: string, areWorking: boolean) => void;
  close: () => Promise<void>;
}

interface Place {
  room: Room;
  usedAt: number;
  areColleaguesWorking: boolean;
}

const mostRooms = 500;
const idleMs = 10 * 60_000;
/** Colleagues rest when no page has read the room for this time. Their own changes make an open page read. */
const restAfterMs = 20_000;
const pauseMs = { min: 1600, max: 3600 };

export function createDemo(): Demo {
  const places = new Map<string, Place>();
  const hub = createHub({
    // Short, so that a lost last message is noticed while the visitor looks.
    heartbeatMs: 2000,
    authorize: (_, { audience }) =>
      audience !== 'global' && places.has(audience.slice(demoAudience('').length)),
    log: (level, message, detail) => {
      if (level === 'error') console.error(`demo hub: ${message}`, detail ?? '');
    },
  });

  const sweep = setInterval(() => {
    for (const [name, { usedAt }] of places) if (Date.now() - usedAt > idleMs) remove(name);
  }, 60_000);
  sweep.unref();

  function remove(name: string): void {
    places.delete(name);
    void hub.disconnect({ audience: demoAudience(name) }).catch(console.error);
  }

  /** One loop for each room, for as long as the room exists. */
  function work(name: string): void {
    const place = places.get(name);
    if (place === undefined) return;
    const isAwake = place.areColleaguesWorking && Date.now() - place.usedAt < restAfterMs;
    if (isAwake) void place.room.act().catch(console.error);
    const waitMs = pauseMs.min + Math.random() * (pauseMs.max - pauseMs.min);
    setTimeout(() => work(name), waitMs).unref();
  }

  return {
    hub,
    open() {
      const [oldest] = [...places].sort(([, a], [, b]) => a.usedAt - b.usedAt);
      if (places.size >= mostRooms && oldest !== undefined) remove(oldest[0]);
      const name = randomUUID();
      places.set(name, { room: createRoom(name, hub), usedAt: Date.now(), areColleaguesWorking: true });
      setTimeout(() => work(name), pauseMs.max).unref();
      return name;
    },
    enter(name) {
      const place = places.get(name);
      if (place === undefined) return null;
      place.usedAt = Date.now();
      return place.room;
    },
    setColleagues(name, areWorking) {
      const place = places.get(name);
      if (place !== undefined) place.areColleaguesWorking = areWorking;
    },
    async close() {
      clearInterval(sweep);
      places.clear();
      await hub.close();
    },
  };
}
