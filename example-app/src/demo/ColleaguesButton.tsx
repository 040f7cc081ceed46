// Lets the simulated colleagues pause, for readers whom moving content disturbs.

import { useSyncExternalStore } from 'react';
import { Pause, Play } from 'lucide-react';
import { useSession } from './context.tsx';

export function ColleaguesButton() {
  const { colleagues } = useSession();
  const areWorking = useSyncExternalStore(colleagues.subscribe, colleagues.areWorking);
  const Icon = areWorking ? Pause : Play;
  const label = areWorking ? 'Pause colleagues' : 'Resume colleagues';
  return (
    <button
      type="button"
      className="button"
      aria-label={label}
      onClick={() => void colleagues.set(!areWorking).catch(() => {})}
    >
      <Icon size={14} aria-hidden="true" />
      <span className="demo-wide">{label}</span>
    </button>
  );
}
