// Notes about subscribers: every user of the account can read, add and delete them. They are
// personal data, so they are part of a subscriber's export and are deleted with an erasure.
import { readMember } from '#areas/accounts/server/index.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { type Actor, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls, type SubscriberNote } from '../notes-contract.ts';
import { MAX_NOTES } from '../shared.ts';
import * as store from './notes.sql.ts';

export const noteRoutes: Route[] = createRoutes('audience', calls, {
  listNotes: ({ tx, caller, params }) => readNotes(tx, caller.accountId, params.id),
  addNote: ({ tx, caller, params, body }) => addNote(tx, caller, params.id, body.text),
  deleteNote: async ({ tx, caller, params }) => {
    if (!(await store.deleteNote(tx, caller.accountId, params.id, params.note))) throw notFound();
  },
});

export async function readNotes(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<SubscriberNote[]> {
  await readSubscriber(db, accountId, subscriberId);
  return (await store.listNotes(db, accountId, subscriberId)).map(present);
}

async function addNote(
  tx: Tx,
  { accountId, userId }: Actor,
  subscriberId: number,
  text: string,
): Promise<SubscriberNote> {
  const notes = await readNotes(tx, accountId, subscriberId);
  if (notes.length >= MAX_NOTES) throw new AppError('too_many_notes');
  const user = await readMember(tx, accountId, userId);
  if (!user) throw notFound();
  const author = [user.name, user.surname].filter(Boolean).join(' ') || user.email;
  const note = { subscriber_id: subscriberId, text, user_id: userId, author };
  return present(await store.insertNote(tx, accountId, { ...note, created_at: clock.now() }));
}

export function deleteNotes(
  tx: Tx,
  { accountId, subscriberIds }: { accountId: number; subscriberIds: readonly number[] },
): Promise<void> {
  return store.deleteNotesAbout(tx, accountId, subscriberIds);
}

function present({ id, text, author, created_at: at }: store.SubscriberNoteRow): SubscriberNote {
  return { id: encodeId('subscriber_note', id), text, author, at: at.toISOString() };
}
