// The panel of `@edict/react/devtools`: what the data layer holds, what arrived, and what came of it. It is
// fetched when somebody wants it, and is no part of the main bundle.

import { lazy, Suspense } from 'react';
import { Bug } from 'lucide-react';
import { useStored, write } from '../stored.ts';

const Panel = lazy(async () => ({ default: (await import('@edict/react/devtools')).DLDevtools }));

const useIsOn = (): boolean => useStored('local', 'devtools') === 'on';

export function DevtoolsSwitch() {
  const isOn = useIsOn();
  return (
    <button
      type="button"
      className="icon-button bar-keys"
      aria-label="What the data layer does"
      title="What the data layer does"
      aria-pressed={isOn}
      onClick={() => write('local', 'devtools', isOn ? null : 'on')}
    >
      <Bug size={18} aria-hidden="true" />
    </button>
  );
}

export function Devtools() {
  const theme = useStored('local', 'theme');
  const isOn = useIsOn();
  return isOn ? (
    <Suspense fallback={null}>
      <Panel initialIsOpen theme={theme === 'light' || theme === 'dark' ? theme : 'system'} />
    </Suspense>
  ) : null;
}
