// What a request asks for: its parameters, read and checked (D-HUB-2, D-HUB-9). Pure.

import { DEFAULT_AUDIENCE, LAST_SEQ_PARAM, SINCE_MS_PARAM } from '@edict/core/protocol';
import { isName, nameRule } from '../names.ts';
import type { CursorAsk } from './recovery.ts';
import { refuse, type Refusal } from './refusal.ts';

/** The facts of a request that the hub looks at, whatever the platform. */
export interface RequestFacts {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly lastEventId: string | null;
}

/** What it asks for, one cursor for each audience. */
export interface StreamAsk {
  readonly clientId: string | null;
  readonly audiences: readonly { readonly audience: string; readonly cursor: CursorAsk }[];
}

/** What the reading depends on. */
export interface AskRules {
  readonly params: { readonly clientId: string; readonly audience: string };
  readonly maxAudiences: number;
}

const maxTargetBytes = 8192;
const wholeNumber = /^\d{1,16}$/;

/** Reads a request, or says why it gets no stream. */
export function readAsk(facts: RequestFacts, { params, maxAudiences }: AskRules): StreamAsk | Refusal {
  if (facts.method !== 'GET') return refuse('method_not_allowed', 'The stream is read with GET.');
  if (facts.target.length > maxTargetBytes) {
    return refuse('target_too_long', `The request target is longer than ${maxTargetBytes} bytes.`);
  }
  const bad = (message: string): Refusal => refuse('bad_parameters', message);
  const queryAt = facts.target.indexOf('?');
  const query = new URLSearchParams(queryAt === -1 ? '' : facts.target.slice(queryAt + 1));

  const clientIds = query.getAll(params.clientId);
  if (clientIds.length > 1) return bad(`${params.clientId} is given more than once.`);
  const clientId = clientIds[0] ?? null;
  if (clientId !== null && !isName(clientId)) return bad(`${params.clientId} must have ${nameRule}.`);

  const given = query.getAll(params.audience);
  const names = given.length === 0 ? [DEFAULT_AUDIENCE] : given; // The document's default.
  if (!names.every(isName)) return bad(`${params.audience} must have ${nameRule}.`);
  if (new Set(names).size < names.length) return bad(`${params.audience} repeats an audience.`);
  if (names.length > maxAudiences) return bad(`More than ${maxAudiences} audiences on one connection.`);

  const lastSeqs = query.getAll(LAST_SEQ_PARAM);
  if (lastSeqs.length > names.length) return bad('There are more last_seq than audiences.');
  if (!lastSeqs.every((text) => text === '' || isNumber(text)))
    return bad('last_seq must be a whole number or empty.');

  const ages = query.getAll(SINCE_MS_PARAM);
  if (ages.length > 1) return bad('since_ms is given more than once.');
  const [age] = ages;
  if (age !== undefined && !isNumber(age)) return bad('since_ms must be a whole number of milliseconds.');
  const sinceMs = age === undefined ? null : Number(age);

  return {
    clientId,
    audiences: names.map((audience, index) => {
      const text = lastSeqs[index] ?? '';
      const resumed = names.length === 1 ? resumedSeq(facts.lastEventId) : null;
      return { audience, cursor: { lastSeq: resumed ?? (text === '' ? null : Number(text)), sinceMs } };
    }),
  };
}

/** D-HUB-9: a native `EventSource` repeats its first URL, so the header is newer. Unreadable it is a miss, never an error. */
function resumedSeq(lastEventId: string | null): number | null {
  if (lastEventId === null || lastEventId === '') return null;
  return isNumber(lastEventId) ? Number(lastEventId) : Number.NaN;
}

function isNumber(text: string): boolean {
  return wholeNumber.test(text) && Number.isSafeInteger(Number(text));
}
