// Notes about an item, loaded on demand, since few pages open with them.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const ItemComments = late(() => import('./item-comments.tsx'));
export const ItemNotes = late(() => import('./item-notes.tsx'));
