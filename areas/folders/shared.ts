// Limits and terms of folders and labels that the server and the screens share.

/**
 * Kinds of items that can have a folder, labels and comments, and can be archived. The IDs of the
 * items have a kind with the same name.
 */
export const ITEM_KINDS = ['campaign', 'sms', 'workflow', 'form'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];
/** Kinds of items with comments. */
export const COMMENTED_KINDS = [...ITEM_KINDS, 'template'] as const;
export type CommentedKind = (typeof COMMENTED_KINDS)[number];

export const LABEL_COLORS = ['gray', 'red', 'orange', 'green', 'blue', 'violet'] as const;
export type LabelColor = (typeof LABEL_COLORS)[number];

export const MAX_TITLE_LENGTH = 60;
/** Maximum number of folders of one kind. */
export const MAX_FOLDERS = 100;
export const MAX_LABELS = 100;
/** Maximum number of items in one bulk action: the largest page of a list. */
export const MAX_BULK = 100;
export const MAX_NOTE_LENGTH = 2000;
/** Maximum number of users mentioned in one comment. */
export const MAX_MENTIONS = 20;
/** Maximum number of comments on one item. */
export const MAX_NOTES = 200;

export const BULK_ACTIONS = [
  'archive',
  'unarchive',
  'move',
  'add_label',
  'remove_label',
  'duplicate',
  'delete_drafts',
] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];
