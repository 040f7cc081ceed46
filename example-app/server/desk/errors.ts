// Errors of the API, with their HTTP status.

import type { ApiErrorBody } from '../../src/model.ts';

/** An error with a message for the user. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422;
  readonly code: string;
  readonly fields: Record<string, string> | undefined;

  constructor(status: DeskError['status'], code: string, message: string, fields?: Record<string, string>) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  body(): ApiErrorBody {
    const { code, message, fields } = this;
    return { error: { code, message, fields } };
  }
}

/** Also for private tickets of other teams, because their existence is private too. */
export const noSuchTicket = (): DeskError =>
  new DeskError(404, 'not_found', 'The ticket was deleted, or it is private to another team.');
