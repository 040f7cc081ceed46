// The subscribers of an entry: one, several, and those that are added or removed during a notification.

import { createSimulation } from '@edict/core/testing';
import type { DataLayer, ItemReference } from '@edict/core';
import { expect, it } from 'vitest';

function setup(): {
  dl: DataLayer;
  ref: ItemReference;
  write: (title: string) => void;
  watchers: () => number;
} {
  const dl = createSimulation({ seed: 1 }).createDataLayer();
  dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
  dl.init({ sse: { enabled: false } });
  const write = (title: string): void =>
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1, result: { id: 1, title } }]);
  write('first');
  return {
    dl,
    ref: dl.getItemRef('ticket', 1),
    write,
    watchers: () => dl.devtools().items['ticket']?.['1']?.watchers ?? -1,
  };
}

it.each([1, 2, 3])('§4.4 onRefChange notifies each of %s subscribers once until it unsubscribes', (count) => {
  const { dl, ref, write, watchers } = setup();
  const told: number[] = [];
  const ends = Array.from({ length: count }, (_, n) => dl.onRefChange(ref, () => void told.push(n)));
  for (let left = count; left >= 0; left--) {
    expect(watchers()).toBe(left);
    told.length = 0;
    write(`${left} left`);
    expect(told).toEqual(Array.from({ length: left }, (_, n) => count - left + n));
    const end = ends[count - left];
    end?.();
    end?.(); // A second time changes nothing.
  }
});

it('§4.4 the same function may subscribe twice, and each subscription ends separately', () => {
  const { dl, ref, write } = setup();
  let told = 0;
  const watch = (): void => void told++;
  const end = dl.onRefChange(ref, watch);
  dl.onRefChange(ref, watch);
  write('both');
  expect(told).toBe(2);
  end();
  write('one');
  expect(told).toBe(3);
});

it('§4.4 unsubscribing twice does not end a later subscription of the same function', () => {
  const { dl, ref, write } = setup();
  let told = 0;
  const watch = (): void => void told++;
  const end = dl.onRefChange(ref, watch);
  end();
  dl.onRefChange(ref, watch);
  end();
  write('again');
  expect(told).toBe(1);
});

it.each([0, 1])(
  '§4.4 beside %s other subscribers, a subscriber that unsubscribes while it is notified is not notified again',
  (others) => {
    const { dl, ref, write } = setup();
    const told: string[] = [];
    const end = dl.onRefChange(ref, () => {
      told.push('first');
      end();
      dl.onRefChange(ref, () => void told.push('newcomer'));
    });
    if (others === 1) dl.onRefChange(ref, () => void told.push('other'));
    write('one');
    expect(told).toEqual(others === 1 ? ['first', 'other'] : ['first']);
    told.length = 0;
    write('two');
    expect(told.sort()).toEqual(others === 1 ? ['newcomer', 'other'] : ['newcomer']);
  },
);

it('§4.4 a subscriber that another one removes before its turn is not notified', () => {
  const { dl, ref, write } = setup();
  const told: string[] = [];
  dl.onRefChange(ref, () => end());
  const end = dl.onRefChange(ref, () => void told.push('ended'));
  write('one');
  expect(told).toEqual([]);
});

it('§4.4 a subscriber is notified when a silent request adds a level to the reference', () => {
  const { dl, ref } = setup();
  dl.createType('ticket', {
    fetch: (id) => Promise.resolve({ id }),
    levels: { full: { fetch: () => new Promise(() => undefined) } },
  });
  const seen: string[][] = [];
  dl.onRefChange(ref, () => void seen.push(Object.keys(ref.meta.levelStamps)));
  dl.fetchItem('ticket', 1, 'full', { silent: true });
  expect(seen).toEqual([['default', 'full']]);
});

it('D-LEVEL-7 data keeps its identity if two changes restore its value', () => {
  const { ref, write } = setup();
  const before = ref.data;
  write('second');
  write('first');
  expect(ref.data).toBe(before);
});
