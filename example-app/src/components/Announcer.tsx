// Announces changes by other users to screen readers, and shows short notices.

import { useEffect, useRef, useSyncExternalStore } from 'react';
import { CircleCheck, CircleX, X } from 'lucide-react';
import type { Id } from '@edict/core';
import { useDL, useLifecycle } from '@edict/react';
import { useFocusAfter } from '../focus.ts';
import { dismiss, noticeStore, announceText, type Notice } from '../notices.ts';
import { plural } from '../words.ts';

const gatherMs = 800;

/** Changes arrive in bursts; one sentence for each burst. */
function useNewsOfOthers(): void {
  const dl = useDL();
  const burst = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; tickets: Set<string> }>({
    timer: undefined,
    tickets: new Set(),
  });
  const own = useRef<ReadonlySet<unknown>>(new Set());
  // Called before any directive is processed. Metadata of a wrapper applies to its targets.
  useLifecycle('directive:received', ({ detail: { directives } }) => {
    const ownOnes = directives.filter((one) => member(one, 'source') === dl.clientId());
    own.current = new Set(ownOnes.flatMap((one) => [one, member(one, 'targets')].flat()));
  });
  useLifecycle('directive:processed', ({ detail: { directive, triggered } }) => {
    if (own.current.has(directive)) return;
    for (const target of triggered) {
      if (target.kind === 'item' && target.type === 'ticket' && isOnScreen(target.id))
        burst.current.tickets.add(String(target.id));
    }
    if (burst.current.tickets.size === 0) return;
    burst.current.timer ??= setTimeout(() => {
      const { size } = burst.current.tickets;
      burst.current.tickets = new Set();
      burst.current.timer = undefined;
      announceText(`${plural(size, 'ticket')} on this page changed.`);
    }, gatherMs);
  });
  useEffect(() => {
    const { current } = burst;
    return () => clearTimeout(current.timer);
  }, []);
}

/** Entries of other pages are cached and refetched as well. */
const isOnScreen = (id: Id): boolean =>
  document.querySelector(`[data-ticket="${id}"], [data-detail="${id}"]`) !== null;

const member = (directive: unknown, name: 'source' | 'targets'): unknown =>
  typeof directive === 'object' && directive !== null ? Reflect.get(directive, name) : null;

export function Announcer() {
  useNewsOfOthers();
  const spoken = useSyncExternalStore(noticeStore.subscribe, noticeStore.spoken, noticeStore.silence);
  return (
    <p className="unseen" role="status" aria-live="polite" data-spoken>
      {spoken}
    </p>
  );
}

export function Notices() {
  const notices = useSyncExternalStore(noticeStore.subscribe, noticeStore.notices, noticeStore.noNotices);
  return (
    <div className="notices" role="log" aria-label="Messages">
      {notices.map((notice) => (
        <OneNotice key={notice.id} {...notice} />
      ))}
    </div>
  );
}

function OneNotice({ id, kind, text, undo }: Notice) {
  useFocusAfter('#page');
  return (
    <p className="notice" data-kind={kind}>
      {kind === 'error' ? (
        <CircleX size={17} aria-hidden="true" />
      ) : (
        <CircleCheck size={17} aria-hidden="true" />
      )}
      <span>{text}</span>
      {undo !== undefined && (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          Undo
        </button>
      )}
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <X size={15} aria-hidden="true" />
      </button>
    </p>
  );
}
