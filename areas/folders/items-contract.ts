// Folder, labels, archive and notes of one item, and bulk actions. Each area with such items offers
// these calls at its own addresses.
import { z } from 'zod';
import {
  dataAnswer,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  placesBelow,
  text,
} from '#platform/contract.ts';
import { Folder, Label } from './contract.ts';
import { BULK_ACTIONS, type ItemKind, MAX_BULK, MAX_NOTE } from './shared.ts';

/** Where a list shows an item. */
export const Place = z.object({
  folder: Folder.nullable(),
  labels: z.array(Label),
  is_archived: z.boolean(),
});
export type Place = z.infer<typeof Place>;

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
});
export type ItemNote = z.infer<typeof ItemNote>;

export const BulkAnswer = z.object({
  /** What the action changed, or the new copies. */
  ids: z.array(Id),
  /** Items that were left as they are: with `delete_drafts`, those that are no drafts. */
  skipped: z.number(),
});
export type BulkAnswer = z.infer<typeof BulkAnswer>;

/**
 * @param base base path of the owner's addresses
 * @param kind kind of the ids in them
 */
export function itemCalls<const Base extends `/${string}`>(base: Base, kind: ItemKind) {
  const { at, params } = placesBelow(base, kind);
  return defineCalls({
    bulk: {
      method: 'POST',
      path: `${base}/bulk` as `${Base}/bulk` & `/${string}`,
      who: 'account',
      audit: ['action'],
      summary: 'Update several items at once',
      description:
        '`move` requires `folder`, and null removes from its folder; `add_label` and `remove_label` require `label`. All of the items or none: an unknown one is an error.',
      body: z.strictObject({
        action: z.enum(BULK_ACTIONS),
        ids: z.array(idOf(kind)).min(1).max(MAX_BULK),
        folder: idOf('folder').nullable().optional(),
        label: idOf('label').optional(),
      }),
      answer: dataAnswer(BulkAnswer),
    },
    listNotes: {
      method: 'GET',
      path: at('notes'),
      who: 'account',
      summary: 'List notes about an item',
      description: 'Newest first.',
      params,
      answer: dataAnswer(z.array(ItemNote)),
    },
    addNote: {
      method: 'POST',
      path: at('notes'),
      who: 'account',
      summary: 'Add a note about an item',
      params,
      body: z.strictObject({ text: text(MAX_NOTE, 1) }),
      answer: dataAnswer(ItemNote),
      errors: { too_many_notes: 422 },
    },
    deleteNote: {
      method: 'DELETE',
      path: at('notes/{note}'),
      who: 'account',
      summary: 'Delete a note about an item',
      params: params.extend({ note: idOf('item_note') }),
      answer: Done,
    },
  });
}
