// Lets the simulated colleagues pause, for readers whom moving content disturbs.

import { useState } from 'react';
import { Pause, Play } from 'lucide-react';
import { setColleagues } from './api.ts';
import { useSession } from './context.tsx';

export function Colleagues() {
  const { room } = useSession();
  const [areWorking, setWorking] = useState(true);
  const Icon = areWorking ? Pause : Play;
  return (
    <button
      type="button"
      className="button"
      onClick={() => void setColleagues(room, !areWorking).then(() => setWorking(!areWorking))}
    >
      <Icon size={14} aria-hidden="true" />
      {areWorking ? 'Pause colleagues' : 'Resume colleagues'}
    </button>
  );
}
