// The parameters of a stream request, read and checked (D-HUB-2, D-HUB-9). Pure.

import { DEFAULT_AUDIENCE, LAST_SEQ_PARAM, SINCE_MS_PARAM } from '@edict/core/protocol';
import { isName, nameRule } from '../names.ts';
import type { Cursor } from './recovery.ts';
import { refuse, type Refusal } from './refusal.ts';

/** The parts of a request that the hub reads on every platform. */
export interface RequestFacts {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly lastEventId: string | null;
}

/** The contents of a stream request, with one cursor per audience. */
export interface StreamRequest {
  readonly clientId: string | null;
  readonly audiences: readonly AudienceRequest[];
}

/** One audience of a stream request. */
export interface AudienceRequest {
  readonly audience: string;
  readonly cursor: Cursor;
}

/** The options that are used to check the parameters. */
export interface RequestRules {
  readonly params: { readonly clientId: string; readonly audience: string };
  readonly maxAudiences: number;
}

const maxTargetBytes = 8192;
const wholeNumber = /^\d{1,16}$/;
/** V8 drops the code that it compiled for queries when it collects garbage and no query is left. This one always is. */
const noQuery = new URLSearchParams();

/** Reads a request, or refuses it. */
export function readStreamRequest(
  facts: RequestFacts,
  { params, maxAudiences }: RequestRules,
): StreamRequest | Refusal {
  if (facts.method !== 'GET') return refuse('method_not_allowed', 'Read the stream with GET.');
  if (facts.target.length > maxTargetBytes) {
    return refuse('target_too_long', `The request target is longer than ${maxTargetBytes} bytes.`);
  }
  const queryAt = facts.target.indexOf('?');
  const query = queryAt === -1 ? noQuery : new URLSearchParams(facts.target.slice(queryAt));

  const clientIds = query.getAll(params.clientId);
  if (clientIds.length > 1) return bad(`${params.clientId} is given more than once.`);
  const clientId = clientIds[0] ?? null;
  if (clientId !== null && !isName(clientId)) return bad(`${params.clientId} must have ${nameRule}.`);

  const given = query.getAll(params.audience);
  const names = given.length === 0 ? [DEFAULT_AUDIENCE] : given;
  if (!names.every(isName)) return bad(`${params.audience} must have ${nameRule}.`);
  if (names.length > 1 && new Set(names).size < names.length)
    return bad(`${params.audience} repeats an audience.`);
  if (names.length > maxAudiences) return bad(`A connection may have at most ${maxAudiences} audiences.`);

  const lastSeqs = query.getAll(LAST_SEQ_PARAM);
  if (lastSeqs.length > names.length) return bad('There are more last_seq than audiences.');
  if (!lastSeqs.every(isSeq)) return bad('last_seq must be a whole number or empty.');

  const ages = query.getAll(SINCE_MS_PARAM);
  if (ages.length > 1) return bad('since_ms is given more than once.');
  const [age] = ages;
  if (age !== undefined && !isNumber(age)) return bad('since_ms must be a whole number of milliseconds.');
  const sinceMs = age === undefined ? null : Number(age);

  // A loop, here and in the admission. After a restart, thousands of clients arrive before this code is compiled, and the compiler needs
  // longer for `map` with a function.
  const resumed = names.length === 1 ? resumedSeq(facts.lastEventId) : null;
  const audiences: AudienceRequest[] = [];
  for (const audience of names) {
    const text = lastSeqs[audiences.length] ?? '';
    audiences.push({
      audience,
      cursor: { lastSeq: resumed ?? (text === '' ? null : Number(text)), sinceMs },
    });
  }
  return { clientId, audiences };
}

const bad = (message: string): Refusal => refuse('bad_parameters', message);

/**
 * A native `EventSource` repeats its first URL, so the header is newer than the parameter. An unreadable header becomes NaN, which is
 * a miss and never an error (D-HUB-9).
 */
function resumedSeq(lastEventId: string | null): number | null {
  if (lastEventId === null || lastEventId === '') return null;
  return isNumber(lastEventId) ? Number(lastEventId) : Number.NaN;
}

const isSeq = (text: string): boolean => text === '' || isNumber(text);

function isNumber(text: string): boolean {
  return wholeNumber.test(text) && Number.isSafeInteger(Number(text));
}
