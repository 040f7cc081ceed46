// The notice beside a draft: this happened while you were writing.

import { History } from 'lucide-react';

interface Props {
  what: readonly string[];
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
          {what.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
      <button type="button" className="button" onClick={onNoted}>
        Noted
      </button>
    </div>
  );
}
