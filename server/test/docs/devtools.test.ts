// Runs the code blocks of docs/guides/devtools.md, rendered on a server and in a real browser.

import type { Page } from 'playwright';
import { createElement, type ComponentType, type PropsWithChildren } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { bundle, launch, openTab } from '../support/examples.ts';
import { blockWith, openPage } from '../support/pages.ts';
import { serveHub } from '../support/servers.ts';

const guide = 'docs/guides/devtools.md';

it('“Devtools”: the server renders the page without the panel', async () => {
  const { Page } = await openPage(guide).run<{ Page: ComponentType<PropsWithChildren> }>('function Page');
  expect(renderToString(createElement(Page, null, 'Tickets'))).toBe('Tickets');
});

it('“Devtools”: both ways show the panel in a browser, and the flag removes it', async () => {
  const { url } = await serveHub();
  const files = {
    './Page.tsx': blockWith(guide, 'function Page').code,
    './Devtools.tsx': blockWith(guide, 'function Devtools').code,
  };
  const context = await (await launch()).newContext();
  const show = async (body: string): Promise<Page> => {
    const script = await bundle(
      `import { createRoot } from 'react-dom/client';
       import { Page } from './Page.tsx';
       import { Devtools } from './Devtools.tsx';
       void [Page, Devtools];
       createRoot(document.body).render(<>${body}<p>Tickets</p></>);`,
      'browser',
      files,
    );
    return openTab(context, url, script, 'Tickets');
  };
  for (const body of ['<Page>{null}</Page>', '<Devtools isOn={true} />'])
    await (await show(body)).locator('edict-devtools').getByRole('button').waitFor();
  const without = await show('<Devtools isOn={false} />');
  await without.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  expect(await without.locator('edict-devtools').count()).toBe(0);
});

it('“Without React”: the panel is shown on a page that loads no React', async () => {
  const { url } = await serveHub();
  const context = await (await launch()).newContext();
  const script = await bundle(
    `import './plain.ts';
     document.body.append('Tickets');`,
    'browser',
    { './plain.ts': blockWith(guide, 'mountDevtools(DL').code },
  );
  const page = await openTab(context, url, script, 'Tickets');
  await page.locator('edict-devtools').getByRole('button').waitFor();
});
