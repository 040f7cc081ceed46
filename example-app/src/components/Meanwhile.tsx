// The notice beside a draft: this happened while you were writing.

import { History } from 'lucide-react';
import { useFocusAfter } from '../focus.ts';
import type { Happening } from '../meanwhile.ts';

interface Props {
  what: readonly Happening[];
  onNoted: () => void;
  /** The id of the field that the user writes in. */
  field: string;
}

export function Meanwhile(props: Props) {
  return props.what.length === 0 ? null : <News {...props} />;
}

function News({ what, onNoted, field }: Props) {
  useFocusAfter(field);
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
