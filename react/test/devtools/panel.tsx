// Opens the panel in a test, reads its contents, and advances its timers.

import { useItem } from '@edict/react';
import { DLDevtools, type DLDevtoolsProps } from '@edict/react/devtools';
import { act, type BoundFunctions, fireEvent, type queries, within } from '@testing-library/react';
import type { ReactElement } from 'react';
import { vi } from 'vitest';
import { requestMs, setup, type World } from '../world.tsx';

type Queries = BoundFunctions<typeof queries>;

/** Simulated time drives the data layer. A test advances the timers of the panel with `look`. */
export function startPanelTest(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  localStorage.clear();
}

export const root = (): ShadowRoot => {
  const shadow = document.querySelector('edict-devtools')?.shadowRoot;
  if (shadow === null || shadow === undefined) throw new Error('no devtools in the page');
  return shadow;
};
// The queries only use what an element and a shadow root have in common.
export const panel = (): Queries => within(root() as unknown as HTMLElement);
export const list = (): Queries => within(panel().getByRole('listbox'));
export const rows = (): string[] =>
  [...root().querySelectorAll('[role=option]')].map((row) => row.textContent ?? '');
export const row = (text: RegExp): HTMLElement => list().getByRole('option', { name: text });
export const click = (element: HTMLElement): void => void fireEvent.click(element);
export const button = (name: string | RegExp): HTMLElement => panel().getByRole('button', { name });
export const showTab = (name: string): void => {
  click(panel().getByRole('tab', { name }));
  look();
};
export const details = (): Queries => within(panel().getByRole('group', { name: 'Details' }));
export const type = (label: string, text: string): void =>
  void fireEvent.change(panel().getByLabelText(label), { target: { value: text } });

/** Advances the timers of the panel until it has shown all events. */
export const look = (): void => act(() => void vi.advanceTimersByTime(1000));

function Row({ id }: { id: number }): ReactElement {
  const { data } = useItem('ticket', id);
  return <p>{(data as { title: string } | null)?.title ?? 'nothing'}</p>; // The fixtures' only item data.
}

/** Shows two tickets and the panel. */
export async function open(props: DLDevtoolsProps = {}, world: World = setup()): Promise<World> {
  world.show(
    <>
      <Row id={1} />
      <Row id={2} />
      <DLDevtools initialIsOpen {...props} />
    </>,
  );
  await world.advance(requestMs);
  look();
  return world;
}
