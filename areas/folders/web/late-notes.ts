// Notes about an item, which few pages open with.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const ItemComments = late(() => import('./item-comments.tsx'));
export const ItemNotes = late(() => import('./item-notes.tsx'));
