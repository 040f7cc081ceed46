// What somebody is writing. It is kept for the session, so that it survives going elsewhere, and a reload that
// nobody asked for.

import { useMe } from './desk.tsx';
import { read, useStored, write } from './stored.ts';

export interface Kept<T> {
  /** Null: there is none. */
  draft: T | null;
  keep: (draft: T | null) => void;
  /** What it is by now: for what goes on after it has waited. */
  latest: () => T | null;
}

/** `what` is being written, such as `comment-7`; of each kind of draft all have one shape. */
export function useDraft<T extends object>(what: string): Kept<T> {
  const key = `draft-${useMe().id}-${what}`;
  return {
    draft: parse<T>(useStored('session', key)),
    keep: (draft) => write('session', key, draft === null ? null : JSON.stringify(draft)),
    latest: () => parse<T>(read('session', key)),
  };
}

// True: nobody else writes there.
const parse = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

/** Kept with what is sent: whoever gets no answer sends the same again, and it is not done twice. */
export const newSendingKey = (): string =>
  // `randomUUID` is not there on a page without HTTPS.
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
