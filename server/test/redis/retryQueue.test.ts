import { describe, expect, it } from 'vitest';
import { createRetryQueue } from '../../src/redis/retryQueue.ts';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Sends lists to a store whose responses the test controls. */
function setup() {
  const inOrder = createRetryQueue();
  const sent: string[] = [];
  const outcomes: Record<string, string> = {};
  const answers = new Map<string, { yes: () => void; no: (why: string) => void }[]>();
  const help: { done: () => void; failed: () => void }[] = [];
  return {
    /** The lists that arrived at the store, in order. */
    sent,
    /** The outcome of each call. */
    outcomes,
    help,
    call(name: string): void {
      const send = (): Promise<string> => {
        sent.push(name);
        return new Promise((resolve, reject) => {
          const yes = (): void => resolve('stored');
          const no = (why: string): void => reject(new Error(why));
          answers.set(name, [...(answers.get(name) ?? []), { yes, no }]);
        });
      };
      const repair = (error: unknown): Promise<void> | null =>
        (error as Error).message === 'helpless' // The test throws this error.
          ? null
          : new Promise((resolve, reject) =>
              help.push({ done: resolve, failed: () => reject(new Error('no help')) }),
            );
      void inOrder({ send, repair }).then(
        (outcome) => (outcomes[name] = outcome),
        (error: unknown) => (outcomes[name] = (error as Error).message),
      );
    },
    /** Responds to the oldest request with this name. */
    async answer(name: string, why?: string): Promise<void> {
      const open = answers.get(name)?.shift();
      if (why === undefined) open?.yes();
      else open?.no(why);
      await turn();
    },
    async helped(at: number): Promise<void> {
      help[at]?.done();
      await turn();
    },
  };
}

describe('lists that are sent again', () => {
  it('D-HUB-5 are sent once and immediately when nothing fails', async () => {
    const { call, answer, sent, outcomes } = setup();
    for (const name of ['1', '2', '3']) call(name);
    expect(sent).toEqual(['1', '2', '3']);
    for (const name of ['2', '1', '3']) await answer(name);
    expect(outcomes).toEqual({ 1: 'stored', 2: 'stored', 3: 'stored' });
  });

  it('D-HUB-5 keep their order and precede lists that were called meanwhile', async () => {
    const { call, answer, helped, sent, outcomes } = setup();
    call('1');
    call('2');
    await answer('1', 'flushed');
    call('3');
    await helped(0);
    expect(sent).toEqual(['1', '2']); // The second one has no response yet.
    await answer('2', 'flushed');
    await helped(1);
    expect(sent).toEqual(['1', '2', '1', '2', '3']);
    for (const name of ['1', '2', '3']) await answer(name);
    expect(outcomes).toEqual({ 1: 'stored', 2: 'stored', 3: 'stored' });
  });

  it('D-HUB-5 keep their order when the first repair ends last', async () => {
    const { call, answer, helped, sent } = setup();
    call('1');
    call('2');
    await answer('1', 'flushed');
    await answer('2', 'flushed');
    await helped(1);
    await helped(0);
    expect(sent).toEqual(['1', '2', '1', '2']);
  });

  it('D-HUB-5 are rejected when a later list was stored meanwhile', async () => {
    const { call, answer, helped, sent, outcomes } = setup();
    call('1');
    call('2');
    await answer('1', 'flushed');
    await helped(0);
    await answer('2');
    expect(sent).toEqual(['1', '2']);
    expect(outcomes).toEqual({ 1: 'flushed', 2: 'stored' });
  });

  it('are rejected with the first error when the repair fails, and do not hold up later lists', async () => {
    const { call, answer, help, sent, outcomes } = setup();
    call('1');
    call('2');
    await answer('1', 'helpless');
    await answer('2', 'flushed');
    call('3');
    help[0]?.failed();
    await turn();
    expect(outcomes).toEqual({ 1: 'helpless', 2: 'flushed' });
    expect(sent).toEqual(['1', '2', '3']);
    await answer('3');
    call('4');
    expect(sent).toEqual(['1', '2', '3', '4']);
  });

  it('are sent a second time only once', async () => {
    const { call, answer, helped, help, sent, outcomes } = setup();
    call('1');
    await answer('1', 'flushed');
    await helped(0);
    await answer('1', 'flushed again');
    expect(sent).toEqual(['1', '1']);
    expect(help).toHaveLength(1);
    expect(outcomes).toEqual({ 1: 'flushed again' });
  });
});
