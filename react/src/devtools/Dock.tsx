// The button that opens the panel, and the panel's frame.

import { useConnection, useDL } from '@edict/react';
import * as React from 'react';
import { CacheView } from './CacheView.tsx';
import { ConnectionView } from './ConnectionView.tsx';
import type { DLDevtoolsProps } from './DLDevtools.tsx';
import { Close, Mark } from './icons.tsx';
import { ResizeHandle } from './ResizeHandle.tsx';
import type { Stored, Tab } from './stored.ts';
import { readStored, writeStored } from './stored.ts';
import { StreamControl, StreamDot } from './StreamControl.tsx';
import { RequestsView } from './RequestsView.tsx';
import { createLiveSession, type Session } from './session.ts';
import type { SessionCardProps } from './SessionCard.tsx';
import { TimelineView } from './TimelineView.tsx';
import { customText, useCustomSource } from './customSource.ts';
import { useRoom } from './useRoom.ts';
import { ViewBoundary } from './ViewBoundary.tsx';

export type DockProps = Required<Omit<DLDevtoolsProps, 'dl' | 'target'>>;

type Imported = Parameters<SessionCardProps['onImport']>[0];

const tabs: readonly { readonly tab: Tab; readonly label: string }[] = [
  { tab: 'timeline', label: 'Timeline' },
  { tab: 'requests', label: 'Requests' },
  { tab: 'cache', label: 'Cache' },
  { tab: 'connection', label: 'Connection' },
];

const moves: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % tabs.length,
  ArrowLeft: (at) => (at + tabs.length - 1) % tabs.length,
  Home: () => 0,
  End: () => tabs.length - 1,
};

export function Dock({ initialIsOpen, position, theme, autoFocus }: DockProps): React.ReactElement {
  const dl = useDL();
  const { status } = useConnection();
  const custom = useCustomSource(dl);
  const [stored, setStored] = React.useState<Stored>(() => readStored(initialIsOpen));
  const session = React.useMemo(() => createLiveSession(dl), [dl]);
  const toggle = React.useRef<HTMLButtonElement>(null);
  const tabList = React.useRef<HTMLDivElement>(null);
  const [panel, setPanel] = React.useState<HTMLElement | null>(null);
  const { isOpen, tab, size } = stored;

  const [saved, setSaved] = React.useState<Imported | null>(null);
  const shown: Session = saved ?? session;

  React.useEffect(() => {
    const { timeline, faults } = session.live;
    const end = timeline.watch();
    return () => {
      end();
      faults.clear(); // Without the panel, a user could not end them.
    };
  }, [session]);
  const sizePx = useRoom(panel, position);

  function change(next: Partial<Stored>): void {
    const all = { ...stored, ...next };
    setStored(all);
    writeStored(all);
  }

  /** After the commit the focus goes where the user's action led. */
  const [focusOn, setFocusOn] = React.useState<'toggle' | 'tab' | null>(autoFocus && isOpen ? 'tab' : null);
  React.useEffect(() => {
    const selected = tabList.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (focusOn === 'toggle') toggle.current?.focus();
    if (focusOn === 'tab') selected?.focus();
    // A narrow panel does not show all tabs. jsdom, in the tests of applications, cannot scroll.
    if ('scrollIntoView' in Element.prototype)
      selected?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [focusOn, isOpen, tab]);

  function open(next: boolean): void {
    change({ isOpen: next });
    setFocusOn(next ? 'tab' : 'toggle');
  }

  function onTabKey(event: React.KeyboardEvent): void {
    const to = moves[event.key]?.(tabs.findIndex((one) => one.tab === tab));
    const next = to === undefined ? undefined : tabs[to];
    if (next === undefined) return;
    event.preventDefault();
    change({ tab: next.tab });
    setFocusOn('tab');
  }

  /** The page's shortcuts do not receive keys that are pressed in the panel. */
  function onKeyDown(event: React.KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape' && isOpen && !event.defaultPrevented) open(false);
  }

  if (!isOpen) {
    return (
      <div className="root" data-theme={theme} data-position={position}>
        <button
          ref={toggle}
          type="button"
          className="toggle"
          aria-expanded={false}
          onClick={() => open(true)}
          onKeyDown={(event) => event.stopPropagation()}
        >
          <Mark />
          <span>
            Edict
            <span className="hidden">
              {' '}
              devtools, {custom === null ? `stream ${status}` : customText(custom)}
            </span>
          </span>
          <StreamDot status={status} custom={custom} />
        </button>
      </div>
    );
  }
  const sized = position === 'bottom' ? { height: size ?? undefined } : { width: size ?? undefined };
  return (
    <div className="root" data-theme={theme} data-position={position} onKeyDown={onKeyDown}>
      <section ref={setPanel} className="panel" aria-label="Edict devtools" style={sized}>
        <ResizeHandle position={position} sizePx={sizePx} onSize={(next) => change({ size: next })} />
        <header className="bar">
          <span className="brand">
            <Mark /> <span>Edict</span>
          </span>
          <div className="tabs" role="tablist" aria-label="Views" ref={tabList} onKeyDown={onTabKey}>
            {tabs.map((one) => (
              <button
                key={one.tab}
                type="button"
                role="tab"
                id={`tab-${one.tab}`}
                aria-controls="view"
                aria-selected={one.tab === tab}
                tabIndex={one.tab === tab ? 0 : -1}
                onClick={() => change({ tab: one.tab })}
              >
                {one.label}
              </button>
            ))}
          </div>
          {saved === null ? (
            <StreamControl />
          ) : (
            <div className="stream">
              <span className="pill" role="status">
                <span className="rest">Saved </span>
                {new Date(saved.exportedAt).toLocaleString()}
              </span>
              <button type="button" className="button" onClick={() => setSaved(null)}>
                Back <span className="rest">to live</span>
              </button>
            </div>
          )}
          <button type="button" className="icon" aria-label="Close devtools" onClick={() => open(false)}>
            <Close />
          </button>
        </header>
        <div className="view" id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <ViewBoundary key={tab} session={shown}>
            {tab === 'timeline' ? <TimelineView key={shown.id} session={shown} /> : null}
            {tab === 'requests' ? <RequestsView key={shown.id} session={shown} /> : null}
            {tab === 'cache' ? <CacheView key={shown.id} session={shown} /> : null}
            {tab === 'connection' ? <ConnectionView session={shown} onImport={setSaved} /> : null}
          </ViewBoundary>
        </div>
      </section>
    </div>
  );
}
