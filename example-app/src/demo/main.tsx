// The start of the demo in the browser.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Demo } from './Demo.tsx';
import { openSession } from './session.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/code.css';
import './demo.css';

const root = document.getElementById('root');
if (root === null) throw new Error('This page was not served by the desk.');
createRoot(root).render(
  <StrictMode>
    <Demo opening={openSession()} />
  </StrictMode>,
);
