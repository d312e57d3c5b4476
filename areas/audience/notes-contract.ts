// Notes of the account's users about a subscriber.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  text,
} from '#platform/contract.ts';
import { MAX_NOTE_LENGTH } from './shared.ts';

const NOTES_PATH = '/client-api/api/subscribers/{id}/notes';

export const SubscriberNote = z.object({
  id: Id,
  text: z.string(),
  /**
   * The name of the user who wrote the note, or the user's email address if the user has no name.
   */
  author: z.string(),
  at: Instant,
});
export type SubscriberNote = z.infer<typeof SubscriberNote>;

const params = z.object({ id: idOf('subscriber') });

export const calls = defineCalls({
  listNotes: {
    method: 'GET',
    path: NOTES_PATH,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List notes about a subscriber',
    description: 'Returns the newest first.',
    params,
    response: dataResponse(z.array(SubscriberNote)),
  },
  addNote: {
    method: 'POST',
    path: NOTES_PATH,
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add a note about a subscriber',
    params,
    body: z.strictObject({ text: text(MAX_NOTE_LENGTH, 1) }),
    response: dataResponse(SubscriberNote),
    errors: { too_many_notes: 422 },
  },
  deleteNote: {
    method: 'DELETE',
    path: `${NOTES_PATH}/{note}`,
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Delete a note about a subscriber',
    params: params.extend({ note: idOf('subscriber_note') }),
    response: SuccessResponse,
  },
});
