// The behavior of every backplane. The tests of the memory backplane and of the Redis backplane run this suite.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  controlAudience,
  type BackplaneLink,
  type LogEntry,
  type LogReader,
  type LogView,
  type ReplayLimits,
} from '../../src/log/backplane.ts';

/** A new, empty backplane under test. */
export interface BackplaneUnderTest {
  /** Connects one more node. */
  readonly connect: (replay?: Partial<ReplayLimits>) => BackplaneLink;
  /** Closes the backplane and its links. */
  readonly close: () => Promise<void>;
}

interface Sink {
  readonly views: LogView[];
  readonly entries: LogEntry[];
  readonly reader: LogReader;
  /** Resolves when the sink has received this many entries. */
  readonly has: (count: number) => Promise<void>;
}

export const contractLimits: ReplayLimits = { maxEnvelopes: 100, maxAgeMs: 300_000, maxBytes: 1_000_000 };

/** Reads an audience and records the calls of its sink. */
async function read(link: BackplaneLink, audience: string): Promise<Sink> {
  const views: LogView[] = [];
  const entries: LogEntry[] = [];
  let look = (): void => {};
  const reader = link.open(audience, {
    reset: (view) => void views.push(view),
    end: () => {},
    entries(list) {
      entries.push(...list);
      look();
    },
  });
  await reader.ready;
  const has = (count: number): Promise<void> =>
    new Promise((done) => {
      look = () => {
        if (entries.length >= count) done();
      };
      look();
    });
  return { views, entries, reader, has };
}

const item = (audience: string, payload: string): { audience: string; payload: string } => ({
  audience,
  payload,
});
const texts = (entries: readonly LogEntry[]): string[] => entries.map(({ payload }) => payload);
const numbers = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** `BackplaneLink.now` is an estimate of the clock of another machine. */
const clockErrorMs = 5000;

/** The suite. `setup` creates a new backplane for each test. */
export function backplaneContract(name: string, setup: () => Promise<BackplaneUnderTest>): void {
  describe(`${name} as a backplane`, () => {
    let under: BackplaneUnderTest;
    beforeEach(async () => {
      under = await setup();
    });
    afterEach(() => under.close());

    it('D-HUB-3 starts the sequence of an audience from the clock in microseconds', async () => {
      const link = under.connect();
      const before = link.now();
      const position = await link.position('a');
      expect(Number.isSafeInteger(position)).toBe(true);
      expect(position).toBeGreaterThan((before - clockErrorMs) * 1000);
      expect(position).toBeLessThan((link.now() + clockErrorMs) * 1000);
    });

    it('D-HUB-3 assigns contiguous sequence numbers, separately for each audience', async () => {
      const link = under.connect();
      const first = await link.position('a');
      const appended = await link.append([item('a', '1'), item('b', '2'), item('a', '3')]);
      const b = await link.position('b');
      expect(appended.map(({ seq }) => seq)).toEqual([first + 1, b, first + 2]);
      expect(await link.position('a')).toBe(first + 2);
    });

    it('sends a reader the view of the log first, and then every appended entry in order', async () => {
      const link = under.connect();
      await link.append([item('a', 'old')]);
      const sink = await read(link, 'a');
      await link.append([item('a', 'new 1')]);
      await link.append([item('a', 'new 2')]);
      await sink.has(2);
      expect(sink.views).toHaveLength(1);
      const [view] = sink.views;
      expect(texts(view?.entries ?? [])).toEqual(['old']);
      expect(view?.entries[0]?.seq).toBe(view?.position);
      expect(view?.reachSeq).toBe((view?.position ?? 0) - 1);
      expect(view?.emitted).toBe(true);
      expect(texts(sink.entries)).toEqual(['new 1', 'new 2']);
      expect(numbers(sink.entries)).toEqual([(view?.position ?? 0) + 1, (view?.position ?? 0) + 2]);
    });

    it('reports that nothing is known to have been emitted to a new audience', async () => {
      const link = under.connect();
      const [view] = (await read(link, 'a')).views;
      expect(view).toMatchObject({ entries: [], emitted: false });
      expect(view?.reachSeq).toBe(view?.position);
      expect(view?.position).toBe(await link.position('a'));
    });

    it('sends a reader no entries of other audiences', async () => {
      const link = under.connect();
      const sink = await read(link, 'a');
      await link.append([item('b', 'not for a'), item('a', 'for a')]);
      await sink.has(1);
      expect(texts(sink.entries)).toEqual(['for a']);
    });

    it('D-HUB-7 sends every node the same entries with the same sequence numbers', async () => {
      const [here, there] = [under.connect(), under.connect()];
      const sinks = [await read(here, 'a'), await read(there, 'a')];
      await here.append([item('a', 'from here')]);
      await there.append([item('a', 'from there')]);
      await Promise.all(sinks.map(({ has }) => has(2)));
      expect(texts(sinks[0]?.entries ?? [])).toEqual(['from here', 'from there']);
      expect(sinks[1]?.entries).toEqual(sinks[0]?.entries);
    });

    it('D-HUB-5 keeps one order for overlapping appends on every node', async () => {
      const links = [under.connect(), under.connect()];
      const sinks = await Promise.all(links.map((link) => read(link, 'a')));
      const appended = await Promise.all(
        upTo(60).map(async (index) => {
          const link = links[index % 2];
          return { index, seq: (await link?.append([item('a', String(index))]))?.[0]?.seq ?? 0 };
        }),
      );
      await Promise.all(sinks.map(({ has }) => has(60)));
      const order = appended.toSorted((a, b) => a.seq - b.seq).map(({ index }) => String(index));
      for (const sink of sinks) {
        expect(texts(sink.entries)).toEqual(order);
        const start = sink.views[0]?.position ?? 0;
        expect(numbers(sink.entries)).toEqual(upTo(60).map((index) => start + index + 1));
      }
    });

    it('loses and repeats no entry for a reader that opens during appends', async () => {
      const [writer, node] = [under.connect({ maxEnvelopes: 1000 }), under.connect({ maxEnvelopes: 1000 })];
      const writing = (async () => {
        for (const index of upTo(200)) await writer.append([item('a', String(index))]);
      })();
      const sink = await read(node, 'a');
      await writing;
      const [view] = sink.views;
      const seen = view?.entries.length ?? 0;
      await sink.has(200 - seen);
      expect(texts([...(view?.entries ?? []), ...sink.entries])).toEqual(upTo(200).map(String));
    });

    it('D-HUB-3 keeps at least the newest maxEnvelopes entries, and reports where the log begins', async () => {
      const link = under.connect({ maxEnvelopes: 10 });
      const start = await link.position('a');
      for (const index of upTo(25)) await link.append([item('a', String(index))]);
      const [view] = (await read(under.connect({ maxEnvelopes: 10 }), 'a')).views;
      expect(view?.position).toBe(start + 25);
      expect(view?.reachSeq).toBeLessThanOrEqual(start + 15);
      expect(texts(view?.entries ?? []).slice(-10)).toEqual(upTo(25).slice(-10).map(String));
      expect(numbers(view?.entries ?? [])[0]).toBe((view?.reachSeq ?? 0) + 1);
      expect(view?.emitted).toBe(true);
    });

    it('gives entries timestamps that never decrease, and reaches back to the first one', async () => {
      const link = under.connect();
      const before = link.now();
      const appended = await link.append([item('a', '1'), item('a', '2'), item('a', '3')]);
      const [view] = (await read(link, 'a')).views;
      const moments = appended.map(({ at }) => at);
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      expect(view?.entries.map(({ at }) => at)).toEqual(moments);
      expect(moments[0]).toBeGreaterThan(before - clockErrorMs);
      expect(moments[0]).toBeLessThan(link.now() + clockErrorMs);
      expect(view?.reachAt).toBeLessThanOrEqual(moments[0] ?? 0);
    });

    it('sends nothing to a closed reader, and opens the same audience again', async () => {
      const link = under.connect();
      const closed = await read(link, 'a');
      closed.reader.close();
      const open = await read(link, 'a');
      closed.reader.close();
      await link.append([item('a', '1')]);
      await open.has(1);
      expect(closed.entries).toEqual([]);
    });

    it('returns payloads unchanged, whatever characters they contain', async () => {
      const link = under.connect();
      const payload = '\u0000 {"a":"ü 𝄞 \\u2028 \\r\\n"} \u0000';
      const sink = await read(link, 'a:*?[b]');
      await link.append([item('a:*?[b]', payload)]);
      await sink.has(1);
      expect(texts(sink.entries)).toEqual([payload]);
    });

    it('D-HUB-8 reports that it is healthy, and the number of its audiences', async () => {
      const link = under.connect();
      await read(link, 'a');
      await read(link, 'b');
      await read(link, controlAudience); // Not counted.
      expect(link.status()).toEqual({ healthy: true, audiences: 2 });
    });

    it('D-HUB-7 rejects an append after it was closed, as not confirmed, and reads no position', async () => {
      const link = under.connect();
      await link.close();
      await expect(link.append([item('a', '1')])).rejects.toThrow(/not confirmed/);
      await expect(link.position('a')).rejects.toThrow();
    });
  });
}
