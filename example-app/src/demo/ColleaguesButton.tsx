// Lets the simulated colleagues pause, for readers whom moving content disturbs.

import { useSyncExternalStore } from 'react';
import { Pause, Play } from 'lucide-react';
import { useSession } from './context.tsx';

export function ColleaguesButton() {
  const { colleagues } = useSession();
  const areWorking = useSyncExternalStore(colleagues.subscribe, colleagues.areWorking);
  const Icon = areWorking ? Pause : Play;
  return (
    <button type="button" className="button" onClick={() => void colleagues.set(!areWorking).catch(() => {})}>
      <Icon size={14} aria-hidden="true" />
      {areWorking ? 'Pause colleagues' : 'Resume colleagues'}
    </button>
  );
}
