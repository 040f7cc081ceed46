// What can go wrong at the desk, with the HTTP status that says so.

import type { ApiErrorBody } from '../../src/model.ts';

/** A refusal that the person who asked may read. */
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
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.fields === undefined ? {} : { fields: this.fields }),
      },
    };
  }
}

/** Also for tickets that exist but are private to another team: whether they exist is private, too. */
export const noSuchTicket = (): DeskError =>
  new DeskError(404, 'not_found', 'There is no such ticket, or it is private to a team that you are not in.');
