// messageOf.ts
import { HttpError } from '@edict/core';

/** A sentence for the page. The text of a lost connection is the browser's, such as `Failed to fetch`. */
export const messageOf = (error: Error): string =>
  error instanceof HttpError && error.status < 500
    ? error.message
    : 'The server cannot be reached at the moment.';
