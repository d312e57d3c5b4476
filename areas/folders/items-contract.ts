// Calls for the comments on one item, and for bulk actions: moving, labeling, archiving and copying
// items, and deleting drafts. Each area with such items offers these calls at its own paths.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  itemRoutes,
  text,
} from '#platform/contract.ts';
import { Folder, Label } from './contract.ts';
import {
  BULK_ACTIONS,
  type CommentedKind,
  type ItemKind,
  MAX_BULK,
  MAX_MENTIONS,
  MAX_NOTE_LENGTH,
} from './shared.ts';

/** The folder, the labels and the archive state of an item. Lists can be filtered by them. */
export const ItemPlacement = z.object({
  folder: Folder.nullable(),
  labels: z.array(Label),
  is_archived: z.boolean(),
});
export type ItemPlacement = z.infer<typeof ItemPlacement>;

/** Parameters of lists. Without `archived`, a list contains archived items too. */
export const placeQuery = {
  folder: idOf('folder').optional(),
  label: idOf('label').optional(),
  archived: z.enum(['true', 'false']).optional(),
};

export const ItemNote = z.object({
  id: Id,
  text: z.string(),
  /** The name of the user who wrote it, or the email address. */
  author: z.string(),
  at: Instant,
  /** Block of the email that the comment is about; null if it is about the whole item. */
  block: z.string().nullable(),
  /** Names of the users mentioned. */
  mentions: z.array(z.string()),
  resolved: z.object({ at: Instant, by: z.string() }).nullable(),
});
export type ItemNote = z.infer<typeof ItemNote>;

export const BulkResponse = z.object({
  /** Ids of the changed items, or of the new copies. */
  ids: z.array(Id),
  /** Number of items that were not changed; with `delete_drafts`, the items that are not drafts. */
  skipped: z.number(),
});
export type BulkResponse = z.infer<typeof BulkResponse>;

/**
 * @param base base path of the calls
 * @param kind the kind of item whose IDs they take
 */
export function itemCalls<const Base extends `/${string}`>(base: Base, kind: ItemKind) {
  return defineCalls({
    ...commentCalls(base, kind),
    bulk: {
      method: 'POST',
      path: `${base}/bulk` as `${Base}/bulk` & `/${string}`,
      caller: 'account',
      audit: ['action'],
      summary: 'Update several items at once',
      description:
        '`move` requires `folder`; null removes the items from their folders. `add_label` and `remove_label` require `label`. If one of the items does not exist, none is changed.',
      body: z.strictObject({
        action: z.enum(BULK_ACTIONS),
        ids: z.array(idOf(kind)).min(1).max(MAX_BULK),
        folder: idOf('folder').nullable().optional(),
        label: idOf('label').optional(),
      }),
      response: dataResponse(BulkResponse),
    },
  });
}

/**
 * Defines the calls for comments on one item. Their paths contain `notes`, the earlier name of
 * comments.
 * @param base base path of the calls
 * @param kind the kind of item whose IDs they take
 */
export function commentCalls<const Base extends `/${string}`>(base: Base, kind: CommentedKind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    listNotes: {
      method: 'GET',
      path: itemPath('notes'),
      caller: 'account',
      summary: 'List comments on an item',
      description: 'Returns the newest first.',
      params,
      response: dataResponse(z.array(ItemNote)),
    },
    addNote: {
      method: 'POST',
      path: itemPath('notes'),
      caller: 'account',
      summary: 'Add a comment on an item',
      description: 'Mentioned users are notified by email and in their browsers.',
      params,
      body: z.strictObject({
        text: text(MAX_NOTE_LENGTH, 1),
        block: z
          .string()
          .regex(/^[\w-]{1,64}$/)
          .optional(),
        mentions: z.array(idOf('user')).max(MAX_MENTIONS).optional(),
      }),
      response: dataResponse(ItemNote),
      errors: { too_many_notes: 422 },
    },
    deleteNote: {
      method: 'DELETE',
      path: itemPath('notes/{note}'),
      caller: 'account',
      summary: 'Delete a comment on an item',
      params: params.extend({ note: idOf('item_note') }),
      response: SuccessResponse,
    },
    resolveNote: {
      method: 'PATCH',
      path: itemPath('notes/{note}'),
      caller: 'account',
      summary: "Set a comment's resolved state",
      params: params.extend({ note: idOf('item_note') }),
      body: z.strictObject({ is_resolved: z.boolean() }),
      response: dataResponse(ItemNote),
    },
  });
}
