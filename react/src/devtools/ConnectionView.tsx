import type { StateSnapshot } from '@edict/core';
import { useDL } from '@edict/react';
import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import { createObserved } from './observed.ts';
import { useCustomSource } from './transport.ts';
import { count, duration, number } from './wording.ts';

export function ConnectionView(): React.ReactElement {
  const dl = useDL();
  const store = React.useMemo(() => createObserved<StateSnapshot>(dl, (layer) => layer.state()), [dl]);
  const { sse, bulk, memory } = useStore(store).value;
  const custom = useCustomSource(dl);
  const positions = Object.entries(sse.lastSeq);
  const audiences = typeof sse.audience === 'string' ? sse.audience : sse.audience.join(', ');
  return (
    // It contains nothing focusable and may be higher than the panel, so it is focusable itself. Keyboard users can scroll it then.
    <div className="cards" role="group" aria-label="Connection" tabIndex={0}>
      {custom !== null ? (
        <Card title="Custom source">
          <Fact name="Status">{custom.isConnected ? 'connected' : 'not connected'}</Fact>
          <Fact name="Type">{custom.type}</Fact>
          <Fact name="Audience">{audiences}</Fact>
          <Fact name="Client id">{dl.clientId()}</Fact>
        </Card>
      ) : (
        <Card title="Event stream">
          <Fact name="Status">{sse.enabled ? sse.status : 'switched off (sse.enabled)'}</Fact>
          <Fact name="Shared between tabs">
            {sse.role === null ? 'no' : sse.role === 'leader' ? 'this tab leads' : 'this tab follows'}
          </Fact>
          <Fact name="URL">{sse.url}</Fact>
          <Fact name="Audience">{audiences}</Fact>
          <Fact name="Attempts since it worked">{number(sse.attempt)}</Fact>
          <Fact name="Next attempt">
            {sse.retryInMs === null ? 'none planned' : `in ${duration(sse.retryInMs)}`}
          </Fact>
          <Fact name="Client id">{dl.clientId()}</Fact>
        </Card>
      )}
      <Card title="Position in each audience">
        {positions.length === 0 ? <p className="quiet">No number seen yet.</p> : null}
        {positions.map(([audience, seq]) => (
          <Fact key={audience} name={audience}>
            {seq}
          </Fact>
        ))}
      </Card>
      <Card title="Work">
        <Fact name="In flight">{dl.hasAnyInFlightRequests() ? 'requests under way' : 'nothing'}</Fact>
        <Fact name="In the window">{count(bulk.pending, 'entry', 'entries')}</Fact>
        <Fact name="Window">{duration(bulk.delayMs)}</Fact>
        <Fact name="Largest batch">{number(bulk.maxBatchSize)}</Fact>
      </Card>
      <Card title="Memory">
        <Fact name="Items">{number(memory.items)}</Fact>
        <Fact name="Collection entries">{number(memory.collections)}</Fact>
        <Fact name="Most items per type">{memory.enabled ? number(memory.maxItemsPerType) : 'no limit'}</Fact>
        <Fact name="Item lifetime">{memory.enabled ? duration(memory.itemEntryTtlMs) : 'no limit'}</Fact>
      </Card>
    </div>
  );
}

function Card({ title, children }: { title: string; children: React.ReactNode }): React.ReactElement {
  return (
    <section className="card">
      <h3>{title}</h3>
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
