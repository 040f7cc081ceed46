// The state of the connection: a mark in the bar, and a banner while it is interrupted.

import { CloudOff, Radio } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useConnection } from '@edict/react';
import { useFocusAfter } from '../focus.ts';
import { useIsInterrupted } from '../interrupted.ts';
import { useLateMs } from '../late.ts';
import { Spinner } from './Bits.tsx';

/** The server renders the page as connecting, because it has no stream. */
function useStream() {
  const connection = useConnection();
  const isInBrowser = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  const status = isInBrowser ? connection.status : 'connecting';
  return { status, isInterrupted: useIsInterrupted(status), connect: connection.connect };
}

const neverChanges = (): (() => void) => () => {};

export function LiveMark() {
  const { status, isInterrupted } = useStream();
  const lateMs = useLateMs();
  const isOpen = status === 'open';
  const openWord = lateMs === 0 ? 'Live' : `${lateMs / 1000} s late`;
  const word = isOpen ? openWord : isInterrupted ? 'Not live' : 'Connecting';
  return (
    <span className="live" data-live={isOpen} data-late={lateMs > 0 || undefined} data-stream={status}>
      <Radio size={15} aria-hidden="true" />
      <span>{word}</span>
    </span>
  );
}

export function ConnectionBanner() {
  const { status, isInterrupted, connect } = useStream();
  return (
    <div className="stream" role="status">
      {isInterrupted && (
        <p className="stream-box" data-stream-banner>
          <CloudOff size={18} aria-hidden="true" />
          <span>
            {status === 'off' ? (
              <>
                <strong>Live updates are off.</strong> The page may be out of date.
              </>
            ) : (
              <>
                <strong>Live updates are interrupted.</strong> The page may be out of date. It catches up when
                it is connected again.
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

/** The button is removed when it is pressed, and when the stream reconnects by itself. */
function ConnectNow({ onConnect }: { onConnect: () => void }) {
  useFocusAfter('#page');
  return (
    <button type="button" className="button" onClick={onConnect}>
      Connect now
    </button>
  );
}
