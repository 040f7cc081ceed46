// This test has its own file because a page cannot relax a Content-Security-Policy once it is set.

import { createDataLayer } from '@edict/core';
import { DLDevtools } from '@edict/react/devtools';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished } from 'vitest';

it('has its styles in a page whose Content-Security-Policy forbids inline styles', async () => {
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "style-src 'self'";
  document.head.append(policy);
  const dl = createDataLayer();
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  onTestFinished(() => {
    root.unmount();
    dl.dispose();
  });
  root.render(<DLDevtools dl={dl} initialIsOpen />);
  const panel = (): Element | null | undefined =>
    document.querySelector('edict-devtools')?.shadowRoot?.querySelector('.panel');
  await expect.poll(panel).toBeInstanceOf(HTMLElement);
  expect(getComputedStyle(panel() as HTMLElement).position).toBe('fixed'); // The check above found the panel.
});
