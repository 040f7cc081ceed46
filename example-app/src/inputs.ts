// The inputs of the API. The server validates with these schemas. The page uses their types and shows their messages
// instead of cutting off long text.

import * as z from 'zod';
import {
  largestId,
  lastPage,
  longest,
  pageSizes,
  printable,
  priorities,
  sorts,
  statuses,
  visibilities,
} from './model.ts';

const notAnId = 'This is not a valid id.';
const id = z.number(notAnId).int(notAnId).positive(notAnId).max(largestId, notAnId);

/** In an address, these values are text. */
const idText = z.string(notAnId).regex(/^\d+$/, notAnId).transform(Number).pipe(id);

const text = (max: number, what: string) =>
  z
    .string()
    .transform((value) => printable(value).trim())
    .pipe(
      z
        .string()
        .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, `${what} is missing.`) // At least one visible character.
        .max(max, `${what} is too long: at most ${max.toLocaleString('en')} characters.`),
    );

const notAPage = `A page is a whole number from 1 to ${lastPage.toLocaleString('en')}.`;
const pageNumber = z
  .string(notAPage)
  .regex(/^\d+$/, notAPage)
  .transform(Number)
  .pipe(z.number().min(1, notAPage).max(lastPage, notAPage))
  .default(1);

export const notificationParams = z.object({ page: pageNumber });

const search = z.string().max(longest.search, 'That is too long to search for.').transform(printable);

export const ticketParams = z.object({
  status: z.enum(['all', ...statuses]).default('all'),
  assignee: z.union([z.enum(['all', 'me', 'none']), idText]).default('all'),
  team: z.union([z.literal('all'), idText]).default('all'),
  priority: z.enum(['all', ...priorities]).default('all'),
  q: search.default(''),
  sort: z.enum(sorts).default('updated'),
  page: pageNumber,
  size: z
    .enum(pageSizes.map(String), `A page has ${pageSizes.join(', ')} tickets.`)
    .transform(Number)
    .default(pageSizes[0]),
});

/** `1,2,3` */
export const idList = z
  .string()
  .max(8000)
  .transform((list) => (list === '' ? [] : list.split(',')))
  .pipe(z.array(idText).max(longest.bulk, `At most ${longest.bulk} at once.`));

export const ticketId = idText;
export const notificationId = idText;

const assigneeId = id.nullable();

export const createTicket = z.object({
  subject: text(longest.subject, 'The subject'),
  body: text(longest.body, 'The description'),
  priority: z.enum(priorities),
  teamId: id,
  assigneeId,
  visibility: z.enum(visibilities),
  requesterName: text(longest.requesterName, 'The name of the customer'),
  requesterEmail: z
    .email('This is not an email address.')
    .max(longest.requesterEmail, 'This is too long for an email address.'),
});
export type CreateTicket = z.infer<typeof createTicket>;

export const changeTicket = z
  .object({
    subject: text(longest.subject, 'The subject').optional(),
    body: text(longest.body, 'The description').optional(),
    status: z.enum(statuses).optional(),
    priority: z.enum(priorities).optional(),
    teamId: id.optional(),
    assigneeId: assigneeId.optional(),
    visibility: z.enum(visibilities).optional(),
    /** The version at the start of the edit. Without it, the last edit wins. */
    expectedVersion: z.number().int().positive().optional(),
  })
  .strict();
export type ChangeTicket = z.infer<typeof changeTicket>;

export const bulkStatus = z.object({
  ids: z
    .array(id)
    .min(1, 'No ticket was chosen.')
    .max(longest.bulk, `At most ${longest.bulk} tickets at once.`),
  status: z.enum(statuses),
  /** The list that the tickets were selected from. Only tickets that are still in it are changed. */
  within: z
    .object({
      status: z.enum(['all', ...statuses]),
      assignee: z.union([z.enum(['all', 'me', 'none']), id]),
      team: z.union([z.literal('all'), id]),
      priority: z.enum(['all', ...priorities]),
      q: search,
    })
    .optional(),
});

export const addComment = z.object({ body: text(longest.comment, 'The comment') });

/** A request with the key of an earlier one is a repetition of that request. */
export const sendingKey = z.string().min(1).max(128).optional();

export const signIn = z.object({ personId: id });

export const weather = z
  .object({
    /** The client whose stream is disturbed. */
    clientId: z.string().regex(/^\P{Cc}{1,128}$/u, 'This is not the id of a client.'),
    /** The time for which messages of the stream are delayed. */
    delayMs: z.number().int().min(0).max(30_000).optional(),
    /** How many of the next messages are lost. */
    drop: z.number().int().min(0).max(100).optional(),
  })
  .strict();

export const cut = weather.pick({ clientId: true });

export const reloadAll = z.object({ hard: z.boolean() });
