// The words that describe an event in the panel.

import type { Id, Target } from '@edict/core';
import { markedBy } from '@edict/core/internal';
import type { CommitMessage, TimelineRecord } from './timeline.ts';

/** The subject of a line in the timeline. The filters have the same names. */
export type Topic = 'directive' | 'request' | 'commit' | 'stream' | 'memory' | 'read';

/** `read` contains reads from the cache and the ends of requests. It is off by default. */
export const topics: readonly { readonly topic: Topic; readonly label: string; readonly tag: string }[] = [
  { topic: 'directive', label: 'Directives', tag: 'Directive' },
  { topic: 'request', label: 'Requests', tag: 'Request' },
  { topic: 'commit', label: 'Commits', tag: 'Commit' },
  { topic: 'stream', label: 'Stream', tag: 'Stream' },
  { topic: 'memory', label: 'Evictions', tag: 'Eviction' },
  { topic: 'read', label: 'Cache reads', tag: 'Read' },
];

export const tagOf = (topic: Topic): string => topics.find((one) => one.topic === topic)?.tag ?? topic;

/** One line of the timeline in words. */
export interface Line {
  readonly topic: Topic;
  readonly text: string;
  /** Said behind it, quieter. */
  readonly note: string;
  readonly isBad: boolean;
}

const counted = new Intl.NumberFormat('en');

/** `1 entry`, `2,000 entries`. */
export const count = (n: number, one: string, many: string = `${one}s`): string =>
  `${counted.format(n)} ${n === 1 ? one : many}`;

export const number = (n: number): string => counted.format(n);

/** `12 ms`, `1.2 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

/** `14:02:11.204` */
export function clock(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

/** The params as an object literal without the noise, `''` for none. */
export function paramsText(params: unknown): string {
  if (typeof params !== 'object' || params === null) return '';
  return Object.entries(params)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

const itemText = (type: string, id: Id, level: string): string =>
  `${type} ${id}${level === 'default' ? '' : ` (${level})`}`;

const collectionText = (name: string, params: unknown): string => {
  const text = paramsText(params);
  return text === '' ? name : `${name} { ${text} }`;
};

export const targetText = (target: Target): string =>
  target.kind === 'item'
    ? itemText(target.type, target.id, target.level)
    : collectionText(target.name, target.params);

/** `refresh_item ticket 7`; for anything that is no directive, its JSON type. */
export function directiveText(directive: unknown): string {
  if (typeof directive !== 'object' || directive === null) return `not a directive (${typeof directive})`;
  // A raw directive may have anything in it; each field is looked at.
  const { op, kind, name, id, level, params, targets, hard } = directive as Record<string, unknown>;
  const head = typeof op === 'string' ? op : 'no op';
  if (Array.isArray(targets)) return `${head} ${count(targets.length, 'target')}`;
  if (typeof name !== 'string') return hard === true ? `${head} (hard)` : head;
  const subject =
    typeof id === 'string' || typeof id === 'number'
      ? itemText(name, id, typeof level === 'string' ? level : 'default')
      : collectionText(name, params);
  return kind === 'item' && id === undefined ? `${head} every ${name}` : `${head} ${subject}`;
}

/** Its targets say what they led to. */
const isWrapper = (directive: unknown): boolean =>
  typeof directive === 'object' && directive !== null && 'targets' in directive;

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `ticket 7`, or `ticket ×40` of many. */
function many({ count: n, targets: [first] }: TimelineRecord): string {
  if (first === undefined) return '';
  return n === 1 ? targetText(first) : `${first.kind === 'item' ? first.type : first.name} ×${number(n)}`;
}

const line = (topic: Topic, text: string, note = '', isBad = false): Line => ({ topic, text, note, isBad });

const commitLine = ({ number: n, entries }: CommitMessage['detail']): Line =>
  line('commit', `Commit ${number(n)}`, entries === 0 ? '' : count(entries, 'entry', 'entries'));

/** The words of a line in the timeline. */
export function lineOf(one: TimelineRecord): Line {
  const { message } = one;
  switch (message.event) {
    case 'commit':
      return commitLine(message.detail);
    case 'directive:received': {
      const { directives, audience, source } = message.detail;
      const from = [audience === null ? '' : `to ${audience}`, source === null ? '' : `from ${source}`];
      return line(
        'directive',
        `Received ${count(directives.length, 'directive')}`,
        from.filter(Boolean).join(' '),
      );
    }
    case 'directive:processed': {
      const { directive, triggered, satisfied, kind } = message.detail;
      const marked = markedBy(message.detail).length;
      const marks = [
        kind === 'page_reload' ? 'page reload' : '',
        triggered.length > 0 ? count(triggered.length, 'refetch', 'refetches') : '',
        satisfied.length > 0 ? `${number(satisfied.length)} inline` : '',
        marked > 0 ? `${number(marked)} marked stale` : '',
      ].filter(Boolean);
      return line(
        'directive',
        directiveText(directive),
        marks.join(', ') || (isWrapper(directive) ? '' : 'nothing to fetch'),
      );
    }
    case 'directive:skipped':
      return line('directive', directiveText(message.detail.directive), `skipped: ${message.detail.reason}`);
    case 'directive:rejected':
      return line(
        'directive',
        directiveText(message.detail.directive),
        `rejected: ${message.detail.issues[0]?.message ?? 'not valid'}`,
        true,
      );
    case 'item:fetch:intent':
    case 'collection:fetch:intent':
      return line(
        'request',
        `Requests ${many(one)}`,
        message.detail.qid + ('force' in message.detail && message.detail.force ? ' forced' : ''),
      );
    case 'item:fetch:success':
    case 'collection:fetch:success':
      return line('request', `Received ${many(one)}`, message.detail.qid);
    case 'item:fetch:error':
    case 'collection:fetch:error':
      return line(
        'request',
        `Failed ${many(one)}`,
        `${message.detail.qid} ${said(message.detail.error)}`,
        true,
      );
    case 'item:fetch:aborted':
    case 'collection:fetch:aborted':
      return line('request', `Passed over ${many(one)}`, `${message.detail.qid} ${message.detail.reason}`);
    case 'item:fetch:complete':
    case 'collection:fetch:complete':
      return line('read', `Completed ${many(one)}`, message.detail.qid);
    case 'item:fetch:skip':
    case 'collection:fetch:skip':
      return line('read', `No request for ${many(one)}`, message.detail.reason);
    case 'item:cache-hit':
    case 'collection:cache-hit':
      return line('read', `Served ${many(one)}`, message.detail.reason);
    case 'sse:connecting':
      return line(
        'stream',
        'Connecting',
        message.detail.attempt > 0 ? `attempt ${message.detail.attempt}` : '',
      );
    case 'sse:open':
      return line('stream', 'Connected', String(message.detail.audience));
    case 'sse:close':
      return line('stream', 'Closed', message.detail.reason);
    case 'sse:error': {
      const { retryInMs, error } = message.detail;
      const next = retryInMs === null ? '' : `, again in ${duration(retryInMs)}`;
      return line('stream', 'Connection failed', `${said(error)}${next}`, true);
    }
    case 'sse:message-error':
      return line('stream', 'Unreadable message', said(message.detail.error), true);
    case 'sse:gap': {
      const { audience, lastSeq, incomingSeq, reason = 'gap' } = message.detail;
      return line('stream', `Gap in ${audience}`, `${reason}: ${lastSeq ?? 'none'} → ${incomingSeq}`, true);
    }
    case 'sse:out-of-order':
      return line('stream', `Out of order in ${message.detail.audience}`, `${message.detail.incomingSeq}`);
    case 'sse:resync-scheduled':
      return line('stream', 'Resync scheduled', `in ${duration(message.detail.waitMs)}`);
    case 'sse:resync-dispatch':
      return line('stream', 'Resync', message.detail.context.reason);
    case 'memory:evict': {
      const { kind, name, key, reason } = message.detail;
      const what = one.count === 1 ? `${name} ${key}` : `${count(one.count, kind)} of ${name}`;
      return line('memory', `Evicted ${what}`, reason);
    }
  }
}
