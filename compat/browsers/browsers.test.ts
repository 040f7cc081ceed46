// Tests the built packages in Firefox and WebKit, with a real hub and real sockets. All other browser tests run in Chromium.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDesk, type Desk } from './desk.ts';
import { openFirefox } from './firefox.ts';
import type { Tab } from './tab.ts';
import { openWebKit } from './webkit.ts';

describe.each([
  ['Firefox', openFirefox],
  ['WebKit', openWebKit],
])('%s', (_, openBrowser) => {
  let desk: Desk;
  let tab: Tab;

  beforeAll(async () => {
    desk = await openDesk();
    tab = await openBrowser();
    console.log(tab.browser);
    await tab.open(desk.url);
  });

  afterAll(async () => {
    await tab?.close();
    await desk?.close();
  });

  const shown = (): Promise<unknown> =>
    tab.ask(`Array.from(document.querySelectorAll('li'), (row) => row.textContent)`);
  /** The events of the data layer since the last call. */
  const events = (): Promise<unknown> => tab.ask('events.splice(0)');
  const showsTheTruth = (): Promise<void> => expect.poll(shown).toEqual(desk.truth());
  const isConnected = (): Promise<void> => expect.poll(desk.connections).toBe(1);

  it('shows a hundred rows of the server after one request', async () => {
    await showsTheTruth();
    await isConnected();
    expect(desk.requests()).toEqual([Array.from({ length: 100 }, (_, at) => at).join()]);
  });

  it('shows a changed row, and fetches no other row', async () => {
    await desk.change();
    await showsTheTruth();
    expect(desk.requests()).toEqual(['0']);
  });

  it('fetches a row once after its own change', async () => {
    await tab.ask(`document.querySelector('button').click()`);
    await expect.poll(() => desk.truth()[0]).toMatch(/^renamed/);
    await showsTheTruth();
    expect(desk.requests()).toEqual(['0']);
  });

  it('reads an inline result that arrives in pieces', async () => {
    await desk.change({ result: true });
    await showsTheTruth();
    expect(desk.requests()).toEqual([]);
  });

  it('shows a change that happened while the connection was broken', async () => {
    await events();
    desk.cut();
    await desk.change();
    await showsTheTruth();
    expect(await events()).toEqual(expect.arrayContaining(['sse:error', 'sse:open']));
  });

  it('shows a change that happened while the server refused the stream', async () => {
    desk.refuse(true);
    desk.cut();
    await desk.change();
    await expect.poll(events).toContain('sse:error');
    desk.refuse(false);
    await showsTheTruth();
  });

  it('resyncs when the server has lost its log', async () => {
    await events();
    await desk.restart();
    await desk.change();
    await showsTheTruth();
    expect(await events()).toContain('sse:resync-dispatch');
  });

  it('closes the stream when the user leaves the page, and shows a missed change when the user goes back', async () => {
    await tab.open(`${desk.url}elsewhere`);
    await expect.poll(desk.connections).toBe(0);
    await desk.change();
    await tab.back();
    await showsTheTruth();
    await isConnected();
  });
});
