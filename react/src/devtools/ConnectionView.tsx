import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import { lagsOf } from './lag.ts';
import { isIntent } from './record.ts';
import { SessionCard, type SessionCardProps } from './SessionCard.tsx';
import type { Session } from './session.ts';
import { useCustomSource } from './customSource.ts';
import { count, duration, number } from './wording.ts';

interface ConnectionViewProps {
  readonly session: Session;
  readonly onImport: SessionCardProps['onImport'];
}

export function ConnectionView({ session, onImport }: ConnectionViewProps): React.ReactElement {
  const { value, takenAt } = useStore(session.state);
  const records = useStore(session.records);
  const { sse, bulk, memory } = value;
  const dl = session.live?.dl ?? null;
  const custom = useCustomSource(dl);
  const lags = lagsOf(records, sse.lastSeq, takenAt);
  const clientId = dl?.clientId() ?? ('clientId' in value ? String(value.clientId) : '');
  const inFlight = records.filter((one) => isIntent(one) && one.ending === null).length;
  const audiences = typeof sse.audience === 'string' ? sse.audience : sse.audience.join(', ');
  return (
    // The content may be higher than the panel, so it is focusable. Keyboard users can then scroll it.
    <div className="cards" role="group" aria-label="Connection" tabIndex={0}>
      {custom !== null ? (
        <Card title="Custom source">
          <Fact name="Status">{custom.isConnected ? 'connected' : 'not connected'}</Fact>
          <Fact name="Type">{custom.type}</Fact>
          <Fact name="Audience">{audiences}</Fact>
          <Fact name="Client id">{clientId}</Fact>
        </Card>
      ) : (
        <Card title="Event stream">
          <Fact name="Status">{sse.enabled ? sse.status : 'off (sse.enabled)'}</Fact>
          <Fact name="Shared between tabs">
            {sse.role === null ? 'no' : sse.role === 'leader' ? 'leader' : 'follower'}
          </Fact>
          <Fact name="URL">{sse.url}</Fact>
          <Fact name="Audience">{audiences}</Fact>
          <Fact name="Attempts">{number(sse.attempt)}</Fact>
          <Fact name="Next attempt">{sse.retryInMs === null ? 'none' : `in ${duration(sse.retryInMs)}`}</Fact>
          <Fact name="Client id">{clientId}</Fact>
        </Card>
      )}
      <Card title="Audiences">
        {lags.length === 0 ? <p className="quiet">No message yet</p> : null}
        {lags.map(({ audience, text, isBehind, seq }) => (
          <Fact key={audience} name={audience}>
            <span className={isBehind ? 'bad' : undefined} title={`Position ${seq}`}>
              {text}
            </span>
          </Fact>
        ))}
      </Card>
      <Card title="Requests">
        <Fact name="In flight">{count(inFlight, 'request')}</Fact>
        <Fact name="Waiting for a batch">{count(bulk.pending, 'entry', 'entries')}</Fact>
        <Fact name="Batch window">{duration(bulk.delayMs)}</Fact>
        <Fact name="Largest batch">{number(bulk.maxBatchSize)}</Fact>
      </Card>
      <SessionCard session={session} onImport={onImport} />
      <Card title="Memory">
        <Fact name="Items">{number(memory.items)}</Fact>
        <Fact name="Collection entries">{number(memory.collections)}</Fact>
        <Fact name="Items per type, at most">
          {memory.enabled ? number(memory.maxItemsPerType) : 'no limit'}
        </Fact>
        <Fact name="Item lifetime">{memory.enabled ? duration(memory.itemEntryTtlMs) : 'no limit'}</Fact>
      </Card>
    </div>
  );
}

function Card({ title, children }: { title: string; children: React.ReactNode }): React.ReactElement {
  return (
    <section className="card">
      <h2>{title}</h2>
      <dl>{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }): React.ReactElement {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
