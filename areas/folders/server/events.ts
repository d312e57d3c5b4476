// Events of folders for higher areas.
import { defineEvent } from '#platform/server/events.ts';
import type { CommentedKind } from '../shared.ts';

/** A user commented on an item; mentioned users are notified. */
export const commentAdded = defineEvent<{
  accountId: number;
  noteId: number;
  kind: CommentedKind;
  itemId: number;
  /** Title of the item, and the path of its screen. */
  title: string;
  path: string;
  text: string;
  userId: number;
  mentions: number[];
}>('folders.comment_added');
