// The notice beside a draft: this happened while you were writing.

import { History } from 'lucide-react';
import type { Happening } from '../meanwhile.ts';

interface Props {
  what: readonly Happening[];
  onNoted: () => void;
}

export function Meanwhile({ what, onNoted }: Props) {
  if (what.length === 0) return null;
  return (
    <div className="banner banner-note" role="status" data-meanwhile>
      <History size={18} aria-hidden="true" />
      <div>
        <p>
          <strong>While you were writing</strong>
        </p>
        <ul>
          {what.map(({ key, sentence }) => (
            <li key={key}>{sentence}</li>
          ))}
        </ul>
      </div>
      <button type="button" className="button" onClick={onNoted}>
        Noted
      </button>
    </div>
  );
}
