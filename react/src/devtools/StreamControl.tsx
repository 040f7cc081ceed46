// The state of the stream or the custom source, and the button that disconnects or connects it.

import type { SseStatus } from '@edict/core';
import type { CustomSource } from '@edict/core/internal';
import { useConnection, useDL } from '@edict/react';
import * as React from 'react';
import { customText, useCustomSource } from './customSource.ts';
import { duration } from './wording.ts';

export function StreamDot({
  status,
  custom,
}: {
  status: SseStatus;
  custom: CustomSource | null;
}): React.ReactElement {
  const shown = custom === null ? status : custom.isConnected ? 'open' : 'off';
  return <span className="dot" data-status={shown} aria-hidden="true" />;
}

const words: Readonly<Record<SseStatus, string>> = {
  off: 'Disconnected',
  connecting: 'Connecting',
  open: 'Live',
  waiting: 'Waiting',
};

export function StreamControl(): React.ReactElement {
  const dl = useDL();
  const { status, attempt, retryInMs, connect, disconnect } = useConnection();
  const custom = useCustomSource(dl);
  // Connecting a custom source takes effect immediately and emits no event.
  const [, lookAgain] = React.useReducer((count: number) => count + 1, 0);
  const { enabled } = dl.state().sse;
  const more =
    status === 'waiting' && retryInMs !== null ? `, attempt ${attempt + 1} in ${duration(retryInMs)}` : '';
  const isStream = custom === null;
  const canConnect = isStream ? enabled && status !== 'open' : !custom.isConnected;
  const canDrop = isStream ? enabled && status !== 'off' : custom.isConnected;
  return (
    <div className="stream">
      <span className="pill" role="status" title={isStream ? undefined : custom.type}>
        <StreamDot status={status} custom={custom} />
        {isStream ? (
          <>
            {enabled || status !== 'off' ? words[status] : 'Stream off'}
            <span className="rest">{more}</span>
          </>
        ) : (
          customText(custom)
        )}
      </span>
      {canConnect ? (
        <button
          type="button"
          className="button"
          onClick={() => {
            if (isStream) connect();
            else dl.connectDirectiveSource();
            lookAgain();
          }}
        >
          Connect
        </button>
      ) : null}
      {canDrop ? (
        <button
          type="button"
          className="button"
          aria-label="Drop connection"
          onClick={() => {
            if (isStream) disconnect();
            else dl.disconnectDirectiveSource();
            lookAgain();
          }}
        >
          Drop<span className="rest"> connection</span>
        </button>
      ) : null}
    </div>
  );
}
