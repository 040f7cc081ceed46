// Drafts of texts. They are kept for the session, so that they survive navigation and reloads.

import { useMe } from './desk.tsx';
import { read, useStored, write } from './stored.ts';

export interface Kept<T> {
  /** Null: there is none. */
  draft: T | null;
  keep: (draft: T | null) => void;
  /** Returns the current draft, for code that continues after it has waited. */
  latest: () => T | null;
}

/** `what` names the draft, such as `comment-7`. All drafts of one kind have the same shape. */
export function useDraft<T extends object>(what: string): Kept<T> {
  const key = `draft-${useMe().id}-${what}`;
  return {
    draft: parse<T>(useStored('session', key)),
    keep: (draft) => write('session', key, draft === null ? null : JSON.stringify(draft)),
    latest: () => parse<T>(read('session', key)),
  };
}

/** No other code writes under these keys. */
const parse = <T>(text: string | null): T | null => (text === null ? null : JSON.parse(text));

/**
 * Sent with the text. A user who gets no response sends the same key again, so the server does not repeat the action.
 */
export const newSendingKey = (): string =>
  // `randomUUID` is not there on a page without HTTPS.
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
