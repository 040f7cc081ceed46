// The roots and data layers of a test in a real browser. They end with the test.

import type { DataLayer } from '@edict/core';
import type { Root } from 'react-dom/client';
import { afterEach } from 'vitest';

export const roots: Root[] = [];
export const layers: DataLayer[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
  for (const dl of layers.splice(0)) dl.dispose();
  document.body.innerHTML = '';
});
