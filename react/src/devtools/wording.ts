// The texts that describe an event in the panel.

import type { Id, Target } from '@edict/core';
import { messageOf } from '@edict/core/internal';
import type { ChangeKind, CommitMessage, Intent, Of, TimelineRecord } from './record.ts';
import { entryKeyOf, isIntent, isCommit, nameOf } from './record.ts';
import { showsOf } from './trace.ts';

/** The subject of a line in the timeline. The filters have the same names. */
export type Topic = 'directive' | 'request' | 'commit' | 'stream' | 'memory' | 'read';

/** `read` contains the reads that started no request. It is off by default. */
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
  /** Shown after the text in a quieter color. */
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

/** Values without an effect. Lists usually have them as defaults, so they are left out. */
function isDefault([key, value]: [string, unknown]): boolean {
  if (value === 1) return key === 'page';
  if (value === 0) return /^(offset|skip)$/.test(key);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false || value === 'all';
}

/** The params as an object literal without quotes and without defaults, `''` for none. */
export function paramsText(params: unknown): string {
  if (typeof params !== 'object' || params === null) return '';
  return Object.entries(params)
    .filter((entry) => !isDefault(entry))
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

/** `refresh_item ticket 7`. For a value that is not a directive, its JSON type. */
function directiveText(directive: unknown): string {
  if (typeof directive !== 'object' || directive === null) return `not a directive (${typeof directive})`;
  // A raw directive may contain anything, so each field is checked.
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

/** The rows of its targets show the effects. */
const isWrapper = (directive: unknown): boolean =>
  typeof directive === 'object' && directive !== null && 'targets' in directive;

/** `ticket 7`, or `ticket ×40` for many. */
export function requestText({ count: n, targets: [first] }: TimelineRecord): string {
  if (first === undefined) return '';
  return n === 1 ? targetText(first) : `${nameOf(first)} ×${number(n)}`;
}

/** `ticket 7, ticket 8, +3`: the names of a few entries, each once. */
function namesText(targets: readonly Target[], most = 2): string {
  const names = [...new Map(targets.map((target) => [entryKeyOf(target), target])).values()].map((target) =>
    targetText(target.kind === 'item' ? { ...target, level: 'default' } : target),
  );
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`+${number(more)}`] : [])].join(', ');
}

export const kindText: Readonly<Record<ChangeKind, string>> = {
  data: 'new data',
  error: 'failed',
  loading: 'loading',
  stale: 'stale',
  same: 'same data',
};

/** The number of messages that a gap has lost, if the numbers show it. */
export function gapText({ message: { detail } }: Of<'sse:gap'>): string {
  const { lastSeq, incomingSeq, reason } = detail;
  if (reason === 'restart') return 'the server restarted its counter';
  if (reason === 'replay-miss') return 'the replay was incomplete';
  const missed = lastSeq === null ? 0 : incomingSeq - lastSeq - (reason === 'position' ? 0 : 1);
  return missed > 0 ? `${count(missed, 'message')} missed` : 'messages may be missing';
}

const line = (topic: Topic, text: string, note = '', isBad = false): Line => ({ topic, text, note, isBad });

function requestLine(one: Intent): Line {
  const { at, ending } = one;
  const text = requestText(one);
  if (ending === null) return line('request', text, 'in flight');
  const took = duration(ending.at - at);
  if (ending.outcome === 'error') return line('request', text, `${messageOf(ending.reason)} · ${took}`, true);
  if (ending.outcome === 'aborted') return line('request', text, `${String(ending.reason)} · ${took}`);
  return line('request', text, ending.strategy === 'bulk' ? `bulk · ${took}` : took);
}

function commitLine(one: Of<'commit'>): Line {
  const { number: n, changes }: CommitMessage['detail'] = one.message.detail;
  const kind = showsOf(one);
  const shown = changes.filter((change) => change.kind === kind).map(({ target }) => target);
  return line('commit', `Commit ${number(n)}: ${namesText(shown)}`, kindText[kind], kind === 'error');
}

/** The words of a line in the timeline. */
export function lineOf(one: TimelineRecord): Line {
  if (isCommit(one)) return commitLine(one);
  if (isIntent(one)) return requestLine(one);
  const { message } = one;
  switch (message.event) {
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
      const marked = one.marked.length;
      const marks = [
        kind === 'page_reload' ? 'page reload' : '',
        triggered.length > 0 ? count(triggered.length, 'refetch', 'refetches') : '',
        satisfied.length > 0 ? `${number(satisfied.length)} inline` : '',
        marked > 0 ? `${number(marked)} marked stale` : '',
      ].filter(Boolean);
      return line(
        'directive',
        directiveText(directive),
        marks.join(', ') || (isWrapper(directive) ? '' : 'not cached here'),
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
    case 'item:fetch:success':
    case 'collection:fetch:success':
      return line('request', requestText(one), 'received');
    case 'item:fetch:error':
    case 'collection:fetch:error':
      return line('request', requestText(one), messageOf(message.detail.error), true);
    case 'item:fetch:aborted':
    case 'collection:fetch:aborted':
      return line('request', requestText(one), message.detail.reason);
    case 'item:fetch:skip':
    case 'collection:fetch:skip':
      return line('read', requestText(one), `no request: ${message.detail.reason}`);
    case 'item:cache-hit':
    case 'collection:cache-hit':
      return line('read', requestText(one), `from the cache: ${message.detail.reason}`);
    case 'sse:connecting':
      return line(
        'stream',
        'Connecting',
        message.detail.attempt > 1 ? `attempt ${number(message.detail.attempt)}` : '',
      );
    case 'sse:open':
      return line('stream', 'Connected', [message.detail.audience].flat().join(', '));
    case 'sse:close':
      return line('stream', 'Closed', message.detail.reason);
    case 'sse:error': {
      const { retryInMs, error } = message.detail;
      const next = retryInMs === null ? '' : `, again in ${duration(retryInMs)}`;
      return line('stream', 'Connection failed', `${messageOf(error)}${next}`, true);
    }
    case 'sse:message-error':
      return line('stream', 'Unreadable message', messageOf(message.detail.error), true);
    case 'sse:gap':
      return line('stream', `Gap in ${message.detail.audience}`, gapText(one as Of<'sse:gap'>), true);
    case 'sse:out-of-order':
      return line('stream', `Out of order in ${message.detail.audience}`, 'applied');
    case 'sse:resync-scheduled':
      return line('stream', 'Resync scheduled', `in ${duration(message.detail.waitMs)}`);
    case 'sse:resync-dispatch':
      return line('stream', 'Resync', count(one.targets.length, 'refetch', 'refetches'));
    case 'memory:evict': {
      const { kind, name, key, reason } = message.detail;
      const what = one.count === 1 ? `${name} ${key}` : `${count(one.count, kind)} of ${name}`;
      return line('memory', `Evicted ${what}`, reason);
    }
    default:
      return line('read', message.event);
  }
}
