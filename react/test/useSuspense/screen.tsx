// Components that suspend, with the boundaries around them. Tests that import this file do not print the errors that boundaries catch.

import type { Id } from '@edict/core';
import { useErrorReset, useSuspenseItem } from '@edict/react';
import { act, render } from '@testing-library/react';
import { Component, Suspense, type ReactElement, type ReactNode } from 'react';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Ticket, World } from '../world.tsx';

export const titleOf = (data: unknown): string => (data as Ticket).title; // The fixtures' only item data; never null here.

/** An error boundary with a button that resets it. */
export class Boundary extends Component<
  { children: ReactNode; onReset?: () => void; onCatch?: ((error: unknown) => void) | undefined },
  { error: unknown }
> {
  override state: { error: unknown } = { error: null };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  override componentDidCatch(error: unknown): void {
    this.props.onCatch?.(error);
  }
  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <button
        type="button"
        onClick={() => {
          this.props.onReset?.();
          this.setState({ error: null });
        }}
      >
        {error instanceof Error ? error.message : 'no error at all'}
      </button>
    );
  }
}

export function WithReset({ children }: { children: ReactNode }): ReactElement {
  return (
    <Boundary onReset={useErrorReset()}>
      <Suspense fallback="waiting">{children}</Suspense>
    </Boundary>
  );
}

/** Renders in an awaited `act`, because React retries suspended components only then. */
export const mount = async (
  { wrapper }: World,
  element: ReactElement,
): Promise<{
  text: () => string;
  rerender: (next: ReactElement) => void;
  click: () => Promise<void>;
  unmount: () => void;
}> => {
  const view = await act(async () => render(element, { wrapper }));
  return {
    text: () => view.container.textContent ?? '',
    rerender: view.rerender,
    unmount: view.unmount,
    click: () => act(async () => view.container.querySelector('button')?.click()),
  };
};

export const mountWithReset = (world: World, element: ReactElement): ReturnType<typeof mount> =>
  mount(world, <WithReset>{element}</WithReset>);

/** Shows the title of an item at a level. */
export const Title = ({
  type = 'ticket',
  id = 1,
  level,
}: {
  type?: string;
  id?: Id;
  level?: string | undefined;
}): ReactElement => <p>{titleOf(useSuspenseItem(type, id, level).data)}</p>;

// React reports each error that a boundary catches.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());
