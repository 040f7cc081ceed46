import { describe, expect, it } from 'vitest';
import { createReplayLog, type ReplayLog } from '../../../src/stream/share/replayLog.ts';

const openedAt = 10_000;

/** A leader that connected with number 5, or with a request from 9,000. */
const byNumber = (): ReplayLog => createReplayLog({ seqs: [['global', 5]], since: 9000 }, openedAt, true);
const byAge = (isPrompt = true): ReplayLog =>
  createReplayLog({ seqs: [['global', null]], since: 9000 }, openedAt, isPrompt);

function add(log: ReplayLog, seq: number, at: number, directives: readonly unknown[] = [{}]): void {
  log.add({ audience: 'global', seq, directives }, `message ${seq}`, at);
}
function greet(log: ReplayLog, seq: number, recovered = true, at = openedAt): void {
  log.add({ audience: 'global', seq, directives: [], recovered }, '', at);
}
/** The missed messages, and the greeting. */
function ask(
  log: ReplayLog,
  lastSeq: number | null,
  since = 0,
): { missed: string[]; greeting: [seq: number, recovered: boolean] } {
  const frames = log.replay({ seqs: [['global', lastSeq]], since }, 2000);
  const { seq, recovered } = JSON.parse(frames.at(-1) ?? '') as { seq: number; recovered: boolean };
  return { missed: frames.slice(0, -1), greeting: [seq, recovered] };
}

describe('the replay of a leader', () => {
  it.for<[lastSeq: number, missed: string[], recovered: boolean]>([
    [4, [], false],
    [5, ['message 6', 'message 7'], true],
    [6, ['message 7'], true],
    [7, [], true],
    [8, [], false],
  ])('for the number %i', ([lastSeq, missed, recovered]) => {
    const log = byNumber();
    add(log, 6, openedAt);
    greet(log, 6);
    add(log, 7, 20_000);
    expect(ask(log, lastSeq)).toEqual({ missed, greeting: [7, recovered] });
  });

  it.for<[since: number, missed: string[], recovered: boolean]>([
    [8999, [], false],
    [9000, ['message 8', 'message 9'], true],
    [20_000, ['message 9'], true],
    [20_001, [], true],
  ])('for a request at %i', ([since, missed, recovered]) => {
    const log = byAge();
    add(log, 8, openedAt);
    greet(log, 8);
    add(log, 9, 20_000);
    expect(ask(log, null, since)).toEqual({ missed, greeting: [9, recovered] });
  });

  it('covers only what was emitted since the stream opened, if the hub did not recover the leader or was asked too late', () => {
    for (const [log, recovered] of [
      [byAge(), false],
      [byAge(false), true],
      [byNumber(), true],
    ] as const) {
      greet(log, 5, recovered);
      expect(ask(log, null, openedAt - 1).greeting).toEqual([5, false]);
      expect(ask(log, null, openedAt + 1).greeting).toEqual([5, true]);
    }
  });

  it.for<[how: string, harm: (log: ReplayLog) => void]>([
    ['a message', (log) => add(log, 8, 30_000)],
    ['a position', (log) => add(log, 8, 30_000, [])],
    ['a lower number', (log) => add(log, 3, 30_000)],
  ])('covers nothing before a gap that %s reveals', ([, harm]) => {
    const log = byNumber();
    greet(log, 5);
    add(log, 6, 20_000);
    harm(log);
    expect(ask(log, 5).greeting[1]).toBe(false);
    expect(ask(log, 6).greeting[1]).toBe(false);
    expect(ask(log, null, 30_000).greeting[1]).toBe(false);
    expect(ask(log, null, 30_001).greeting[1]).toBe(true);
  });

  it('covers the last 200 messages', () => {
    const log = byNumber();
    greet(log, 5);
    for (let seq = 6; seq <= 206; seq += 1) add(log, seq, 20_000 + seq);
    expect(ask(log, 5).greeting).toEqual([206, false]);
    expect(ask(log, 206).greeting).toEqual([206, true]);
    expect(ask(log, null, 20_000).greeting).toEqual([206, false]);
  });

  it('is ready when every audience has its position, and proves nothing where a server sends none', () => {
    const log = createReplayLog(
      {
        seqs: [
          ['global', 5],
          ['team', null],
        ],
        since: 9000,
      },
      openedAt,
      true,
    );
    greet(log, 5);
    expect(log.isReady()).toBe(false);
    const frames = log.replay({ seqs: [['team', null]], since: 20_000 }, 0);
    expect(frames.map((text) => (JSON.parse(text) as { recovered: boolean }).recovered)).toEqual([false]);
    log.add({ audience: 'team', seq: 1, directives: [], recovered: true }, '', openedAt);
    expect(log.isReady()).toBe(true);
  });
});
