// The panel of `@edict/react/devtools`. It is loaded when a user opens it, and is not part of the main bundle.

import { useEffect, useState } from 'react';
import { Bug } from 'lucide-react';
import { notify } from '../notices.ts';
import { read, useStored, write } from '../stored.ts';

type Panel = (typeof import('@edict/react/devtools'))['DLDevtools'];

const key = 'devtools';
const useIsOn = (): boolean => useStored('local', key) === 'on';

export function DevtoolsSwitch() {
  const isOn = useIsOn();
  return (
    <button
      type="button"
      className="icon-button bar-keys"
      aria-label="Devtools"
      title="Devtools"
      aria-pressed={isOn}
      onClick={() => write('local', key, isOn ? null : 'on')}
    >
      <Bug size={18} aria-hidden="true" />
    </button>
  );
}

export function Devtools() {
  const theme = useStored('local', 'theme');
  const isOn = useIsOn();
  const [Panel, setPanel] = useState<Panel | null>(null);
  // The panel receives the focus from a user who opens it, and not from a page load.
  const [wasOn] = useState(() => typeof window !== 'undefined' && read('local', key) === 'on');
  // The style sheet keeps the corner of the closed panel free.
  useEffect(() => {
    document.documentElement.toggleAttribute('data-devtools', isOn);
  }, [isOn]);
  useEffect(() => {
    if (!isOn) return;
    import('@edict/react/devtools')
      .then(({ DLDevtools }) => setPanel(() => DLDevtools))
      .catch(() => {
        // With `lazy` the error would be thrown while rendering, and no page would be shown.
        write('local', key, null);
        // Browsers do not request a module again whose import failed.
        notify('error', 'The devtools could not be loaded. Reload the page to try again.');
      });
  }, [isOn]);
  if (!isOn || Panel === null) return null;
  return (
    <Panel
      initialIsOpen
      autoFocus={!wasOn}
      theme={theme === 'light' || theme === 'dark' ? theme : 'system'}
    />
  );
}
