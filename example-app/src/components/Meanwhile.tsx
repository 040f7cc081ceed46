// The notice beside a draft: other users changed the ticket. One line, with the details on request.

import { useState } from 'react';
import { History } from 'lucide-react';
import { useFocusAfter } from '../focus.ts';
import type { News } from '../meanwhile.ts';

interface Props {
  news: News | null;
  onNoted: () => void;
  /** A selector of the field that the user writes in. */
  field: string;
}

export function Meanwhile({ news, ...rest }: Props) {
  return news === null ? null : <Notice news={news} {...rest} />;
}

function Notice({ news: { summary, diffs }, onNoted, field }: Props & { news: News }) {
  useFocusAfter(field);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="banner banner-note" role="status" data-meanwhile>
      <History size={18} aria-hidden="true" />
      <div>
        <p>
          <strong>{summary}</strong> ·{' '}
          <button
            type="button"
            className="link-button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'View'}
          </button>
        </p>
        {isOpen && (
          <dl className="diff">
            {diffs.map(({ field: name, from, to }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {from !== '' && (
                    <>
                      <del>{from}</del> →{' '}
                    </>
                  )}
                  <ins>{to}</ins>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <button type="button" className="button" onClick={onNoted}>
        Got it
      </button>
    </div>
  );
}
