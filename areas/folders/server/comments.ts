// Comments on items, or on single blocks of an email, with mentions of users. The area of the items
// provides the calls at its own paths.
import { readMember, findUsersById } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { SubscriberAddresses } from '#platform/server/database/address-search.sql.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import {
  type Actor,
  type Handlers,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { commentCalls, type ItemNote } from '../items-contract.ts';
import { type CommentedKind, MAX_NOTES } from '../shared.ts';
import { commentAdded } from './events.ts';
import * as store from './items.sql.ts';

/** Provided by the area of commented items. */
export interface CommentOwner {
  /** Name of the area, which prefixes the names of its routes and the keys of its texts. */
  area: string;
  kind: CommentedKind;
  /** Base path of its calls, such as `/client-api/api/campaigns`. */
  base: `/${string}`;
  /** The title and the screen of an item. @throws not_found */
  describeItem(db: Reader, accountId: number, id: number): Promise<{ title: string; path: string }>;
}

type CommentCalls = ReturnType<typeof commentCalls<'/{base}'>>;

export function commentRoutes(owner: CommentOwner): Route[] {
  const { area, kind, base } = owner;
  const handlers: Handlers<CommentCalls> = {
    listNotes: async ({ tx, caller, params }) => {
      await owner.describeItem(tx, caller.accountId, params.id);
      return readComments(tx, owner, caller.accountId, params.id);
    },
    addNote: ({ tx, caller, params, body }) => addComment(tx, owner, caller, params.id, body),
    deleteNote: async ({ tx, caller, params }) => {
      await owner.describeItem(tx, caller.accountId, params.id);
      if (!(await store.deleteNote(tx, caller.accountId, kind, params.id, params.note)))
        throw notFound();
      sendChangeHint(tx, caller.accountId, kind, params.id);
    },
    resolveNote: ({ tx, caller, params, body }) =>
      resolveComment(tx, owner, caller, { id: params.id, noteId: params.note }, body.is_resolved),
  };
  // The types are the same for every base path.
  return createRoutes<CommentCalls>(
    area,
    commentCalls(base as '/{base}', kind),
    handlers,
    {},
    'folders',
  );
}

async function readComments(
  db: Reader,
  { kind }: CommentOwner,
  accountId: number,
  id: number,
): Promise<ItemNote[]> {
  return present(db, await store.listNotes(db, accountId, kind, id));
}

type NewComment = {
  text: string;
  block?: string | undefined;
  mentions?: readonly number[] | undefined;
};

async function addComment(
  tx: Tx,
  owner: CommentOwner,
  { accountId, userId }: Actor,
  id: number,
  { text, block, mentions: mentionedIds = [] }: NewComment,
): Promise<ItemNote> {
  const { title, path } = await owner.describeItem(tx, accountId, id);
  const comments = await readComments(tx, owner, accountId, id);
  if (comments.length >= MAX_NOTES) throw new AppError('too_many_notes');
  const mentions = [...new Set(mentionedIds)];
  for (const mentionedId of mentions) {
    if (!(await readMember(tx, accountId, mentionedId)))
      throw invalid({ mentions: ['errors.unknown_id'] });
  }
  const row = await store.insertNote(tx, accountId, {
    ...{ kind: owner.kind, item_id: id, text, user_id: userId, mentions },
    ...{ author: await readAuthorName(tx, accountId, userId), block_id: block ?? null },
    created_at: clock.now(),
  });
  sendChangeHint(tx, accountId, owner.kind, id);
  await commentAdded.announce(tx, {
    ...{ accountId, noteId: row.id, kind: owner.kind, itemId: id, title, path, text, userId },
    mentions: mentions.filter((mentionedId) => mentionedId !== userId),
  });
  const [comment] = await present(tx, [row]);
  return comment as ItemNote;
}

async function resolveComment(
  tx: Tx,
  owner: CommentOwner,
  { accountId, userId }: Actor,
  { id, noteId }: { id: number; noteId: number },
  isResolved: boolean,
): Promise<ItemNote> {
  await owner.describeItem(tx, accountId, id);
  const resolution = isResolved
    ? { resolved_at: clock.now(), resolved_by: await readAuthorName(tx, accountId, userId) }
    : { resolved_at: null, resolved_by: null };
  const row = await store.resolveNote(tx, accountId, owner.kind, id, noteId, resolution);
  if (!row) throw notFound();
  sendChangeHint(tx, accountId, owner.kind, id);
  const [comment] = await present(tx, [row]);
  return comment as ItemNote;
}

/** Changes the text of all comments that contain an address, for the erasure of subscribers. */
export async function rewriteComments(
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
  rewrite: (text: string) => string,
): Promise<void> {
  for (const note of await store.lockNotesNaming(tx, accountId, naming)) {
    await store.updateNoteText(tx, note, rewrite(note.text));
    sendChangeHint(tx, accountId, note.kind as CommentedKind, note.item_id);
  }
}

async function readAuthorName(tx: Tx, accountId: number, userId: number): Promise<string> {
  const user = await readMember(tx, accountId, userId);
  if (!user) throw notFound();
  return [user.name, user.surname].filter(Boolean).join(' ') || user.email;
}

async function present(db: Reader, rows: readonly store.NoteRow[]): Promise<ItemNote[]> {
  const ids = [...new Set(rows.flatMap(({ mentions }) => mentions))];
  const users = ids.length === 0 ? [] : await findUsersById(db, ids);
  const names = new Map(
    users.map(({ id, name, surname, email }) => [
      id,
      [name, surname].filter(Boolean).join(' ') || email,
    ]),
  );
  return rows.map((row) => ({
    id: encodeId('item_note', row.id),
    text: row.text,
    author: row.author,
    at: row.created_at.toISOString(),
    block: row.block_id,
    mentions: row.mentions.flatMap((id) => names.get(id) ?? []),
    resolved:
      row.resolved_at === null
        ? null
        : { at: row.resolved_at.toISOString(), by: row.resolved_by ?? '' },
  }));
}
