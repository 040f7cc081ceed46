// Revocation (D-HUB-10): ends streams on every node, so that their clients are authorized again.

import type { HubEnv } from '../env.ts';
import {
  controlAudience,
  type BackplaneLink,
  type LogEntry,
  type LogReader,
  type LogView,
} from '../log/backplane.ts';
import { isName, nameRule } from '../names.ts';
import { membersOf, wrong } from '../optionErrors.ts';

/** Selects the streams to end. A stream must match every given field. `all: true` matches every stream. */
export interface StreamFilter {
  /** The user that `authorize` returned. */
  readonly user?: string | undefined;
  /** The client id. */
  readonly clientId?: string | undefined;
  /** One of the audiences of the stream. */
  readonly audience?: string | undefined;
  /** Every stream. Cannot be combined with the other fields. */
  readonly all?: true | undefined;
}

const selectors = ['user', 'clientId', 'audience'] as const;

/** Checks the argument of `disconnect`. Throws a `TypeError` that names the wrong field. */
function readFilter(input: unknown): StreamFilter {
  const given = membersOf(input, [...selectors, 'all'], 'disconnect');
  const named = selectors.filter((name) => given[name] !== undefined);
  for (const name of named) {
    if (!isName(given[name])) throw wrong(`disconnect: ${name}`, nameRule, given[name]);
  }
  if (given['all'] !== undefined && (given['all'] !== true || named.length > 0))
    throw new TypeError(
      '[edict] disconnect: all must be true and cannot be combined with other fields. Remove one of them.',
    );
  if (given['all'] === undefined && named.length === 0)
    throw new TypeError(
      '[edict] disconnect: no stream is selected. Pass user, clientId or audience, or { all: true } for every stream.',
    );
  return given;
}

/** Whether the filter selects a stream. */
export function matches(
  { user, clientId, audience }: StreamFilter,
  stream: { readonly user: string | null; readonly clientId: string | null },
  hasAudience: (audience: string) => boolean,
): boolean {
  return (
    (user === undefined || user === stream.user) &&
    (clientId === undefined || clientId === stream.clientId) &&
    (audience === undefined || hasAudience(audience))
  );
}

/** The revocations of one hub. */
export interface Revocations {
  /**
   * Starts to receive the revocations of other nodes. Returns null if that works already. Otherwise resolves when
   * it works, or rejects while the backplane is unavailable.
   */
  readonly ready: () => Promise<void> | null;
  /** Ends the matching streams here, and then on the other nodes. Resolves to the number of streams that ended here. */
  readonly disconnect: (filter: StreamFilter) => Promise<number>;
}

/** A node appends its own revocations of this period again if the log loses data. */
const rememberMs = 60_000;

/** @param end ends the matching streams of this node and returns their number */
export function createRevocations(
  { link, env }: { readonly link: BackplaneLink; readonly env: HubEnv },
  end: (filter: StreamFilter) => number,
): Revocations {
  let reader: LogReader | null = null;
  let position: number | null = null;
  let nodeId: string | null = null;
  let recent: { readonly payload: string; readonly at: number }[] = [];

  function receive({ seq, payload }: LogEntry): void {
    position = seq;
    try {
      const { from, filter }: { from?: unknown; filter?: unknown } = JSON.parse(payload);
      if (from !== nodeId) end(readFilter(filter));
    } catch (error) {
      env.log(
        'error',
        'A revocation of another process cannot be read. Use one version of @edict/server',
        error,
      );
    }
  }

  function append(payload: string): Promise<unknown> {
    return link.append([{ audience: controlAudience, payload }]);
  }

  /** The log does not continue. New entries are applied, and their author appends the lost ones again. */
  function resume(view: LogView): void {
    const seen = position;
    position = view.position;
    if (seen === null) return; // Requests are authorized only after this, so the older entries concern none of them.
    for (const entry of view.entries) if (entry.seq > seen) receive(entry);
    // The log was trimmed while this node was disconnected. A trimmed entry may concern any stream.
    if (view.entries.length > 0 && view.reachSeq > seen) end({ all: true });
    const kept = new Set(view.entries.map(({ payload }) => payload));
    for (const { payload, at } of recent) {
      if (kept.has(payload) || env.now() - at > rememberMs) continue;
      append(payload).catch((error: unknown) =>
        env.log('error', 'A revocation was lost and could not be repeated', error),
      );
    }
  }

  async function open(): Promise<void> {
    const opened = (reader ??= link.open(controlAudience, {
      reset: resume,
      entries: (list) => list.forEach(receive),
      // Revocations cannot be read, so no stream may continue. A stream that reconnects is refused until they can be read.
      end() {
        forget();
        end({ all: true });
      },
    }));
    try {
      await opened.ready;
    } catch (error) {
      if (reader === opened) forget(); // The next request tries again.
      throw error;
    }
  }

  function forget(): void {
    reader = null;
    position = null;
  }

  return {
    ready: () => (position === null ? open() : null),
    async disconnect(input) {
      const filter = readFilter(input);
      const ended = end(filter);
      nodeId ??= env.newId();
      const payload = JSON.stringify({ from: nodeId, id: env.newId(), filter });
      const at = env.now();
      recent = recent.filter((one) => at - one.at <= rememberMs);
      recent.push({ payload, at });
      try {
        await append(payload);
      } catch (error) {
        throw new Error(
          '[edict] disconnect: the revocation is not confirmed, so streams of other processes may not end. Repeat the call.',
          { cause: error },
        );
      }
      return ended;
    },
  };
}
