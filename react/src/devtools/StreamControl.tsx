// The state of the event stream, and the button that drops it or brings it back.

import type { SseStatus } from '@edict/core';
import { useConnection, useDL } from '@edict/react';
import type { ReactElement } from 'react';
import { duration } from './wording.ts';

export function StreamDot({ status }: { status: SseStatus }): ReactElement {
  return <span className="dot" data-status={status} aria-hidden="true" />;
}

const words: Readonly<Record<SseStatus, string>> = {
  off: 'Disconnected',
  connecting: 'Connecting',
  open: 'Live',
  waiting: 'Waiting',
};

export function StreamControl(): ReactElement {
  const dl = useDL();
  const { status, attempt, retryInMs, connect, disconnect } = useConnection();
  const { enabled } = dl.state().sse;
  const more =
    status === 'waiting' && retryInMs !== null ? `, attempt ${attempt + 1} in ${duration(retryInMs)}` : '';
  return (
    <div className="stream">
      <span className="pill" role="status">
        <StreamDot status={status} />
        {enabled || status !== 'off' ? words[status] : 'Stream off'}
        <span className="rest">{more}</span>
      </span>
      {enabled && status !== 'open' ? (
        <button type="button" className="button" onClick={connect}>
          Connect
        </button>
      ) : null}
      {enabled && status !== 'off' ? (
        <button type="button" className="button" aria-label="Drop connection" onClick={disconnect}>
          Drop<span className="rest"> connection</span>
        </button>
      ) : null}
    </div>
  );
}
