// The state of the connection: unobtrusive while it is open, a banner while it is not.

import { CloudOff, Radio } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useConnection } from '@edict/react';
import { useFocusAfter } from '../focus.ts';
import { Spinner } from './Bits.tsx';

/** The first connection of a page is not worth a banner. */
const isDown = ({ status, attempt }: { status: string; attempt: number }): boolean =>
  status === 'off' || status === 'waiting' || (status === 'connecting' && attempt > 0);

/** On the server there is no stream, which is no reason to worry anybody. */
function useStream() {
  const connection = useConnection();
  const isInBrowser = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  return isInBrowser ? connection : { ...connection, status: 'connecting' as const, attempt: 0 };
}

const neverChanges = (): (() => void) => () => {};

export function LiveMark() {
  const connection = useStream();
  const word = connection.status === 'open' ? 'Live' : isDown(connection) ? 'Not live' : 'Connecting';
  return (
    <span className="live" data-live={connection.status === 'open'} data-stream={connection.status}>
      <Radio size={15} aria-hidden="true" />
      <span>{word}</span>
    </span>
  );
}

export function ConnectionBanner() {
  const connection = useStream();
  const { status, connect } = connection;
  return (
    <div className="stream" role="status">
      {isDown(connection) && (
        <p className="stream-box" data-stream-banner>
          <CloudOff size={18} aria-hidden="true" />
          <span>
            {status === 'off' ? (
              <>
                <strong>Live updates are off.</strong> What you see may be old.
              </>
            ) : (
              <>
                <strong>Live updates are interrupted.</strong> What you see may be old; it will be put right.
              </>
            )}
          </span>
          {status === 'off' || status === 'waiting' ? (
            <ConnectNow onConnect={connect} />
          ) : (
            <Spinner label="Connecting" />
          )}
        </p>
      )}
    </div>
  );
}

/** It goes away when it is pressed, and when the stream is back by itself. */
function ConnectNow({ onConnect }: { onConnect: () => void }) {
  useFocusAfter('#page');
  return (
    <button type="button" className="button" onClick={onConnect}>
      Connect now
    </button>
  );
}
