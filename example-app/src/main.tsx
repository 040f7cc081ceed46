// The entry point in the browser.

import { hydrate } from '@edict/core/hydration';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { DL } from '@edict/core';
import { httpReads, actAs } from './api.ts';
import { App, type Boot } from './App.tsx';
import { registerDesk, startDesk } from './data.ts';
import { startClock } from './now.tsx';
import './styles/index.css';

const root = document.getElementById('root');
const bootText = document.getElementById('boot')?.textContent;
if (root === null || bootText === undefined || bootText === null)
  throw new Error('This page was not served by the desk.');
const boot: Boot = JSON.parse(bootText); // Written by the server of this page.

startClock(boot.renderedAt);
registerDesk(DL, httpReads);
// This runs before the stream opens, so that the stream requests the changes since the page was rendered.
if (boot.state !== null) hydrate(DL, boot.state);
if (boot.session !== null) {
  actAs(boot.session.person.id);
  startDesk(DL, boot.session);
}

const app = <App dl={DL} boot={boot} />;
if (root.firstElementChild !== null) hydrateRoot(root, app);
else createRoot(root).render(app);
