// The default data layer, and the names of the packages.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDataLayer, DL } from '@edict/core';
import type { Id } from '@edict/core';
import { refreshItem } from './directives.ts';

describe('D-NAME-1 names', () => {
  it.each([
    ['core', '@edict/core'],
    ['react', '@edict/react'],
    ['server', '@edict/server'],
  ])('the package in folder %s is %s', (folder, name) => {
    const path = new URL(`../../${folder}/package.json`, import.meta.url);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ name });
  });

  it('DL is a data layer that is ready to register, to fetch, and to apply directives', async () => {
    expect(Object.keys(DL)).toEqual(Object.keys(createDataLayer()));
    expect(DL.clientId()).toEqual(expect.any(String));
    expect(DL.state().types).toEqual({});
    let version = 1;
    DL.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
    DL.createType('ticket', { fetch: (id: Id) => ({ id, version }) });
    const ref = DL.fetchItem('ticket', 1);
    await DL.whenSettled(ref);
    version = 2;
    await DL.applyDirectives([refreshItem('ticket', 1)]);
    expect(ref.data).toEqual({ id: 1, version: 2 });
    DL.dispose();
  });
});
