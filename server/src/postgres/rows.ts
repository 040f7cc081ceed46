// Reads rows of the outbox. Any program can write to the table, so a row may contain anything.

import type { Directive } from '@edict/core/protocol';
import { isObject } from '../optionErrors.ts';
import type { Row } from './executor.ts';

/** A row of the outbox, as the relay reads it. */
export interface OutboxRow {
  readonly id: string;
  readonly audience: string;
  /** Null if the row contains no list. The hub checks the directives themselves. */
  readonly directives: readonly Directive[] | null;
  /** What a trigger of `watchTable` failed to do, or null. Such a row contains no list. */
  readonly failure: string | null;
}

/** Reads a row that was selected with `id::text AS name, audience, directives AS text`. */
export function readRow({ name: id, audience, text }: Row): OutboxRow {
  if (typeof id !== 'string' || typeof audience !== 'string' || typeof text !== 'string')
    throw new Error(
      '[edict] The columns of the outbox have other types than expected. Restore them, or run migrate on a new table.',
    );
  const value = parsed(text);
  if (Array.isArray(value)) return { id, audience, directives: value as Directive[], failure: null };
  const failure = isObject(value) && 'failure' in value ? value.failure : null;
  return { id, audience, directives: null, failure: typeof failure === 'string' ? failure : null };
}

/** The error of `JSON.parse` contains a part of the text, so it is dropped. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
