// Notes about an item, loaded on demand, since few pages open with them.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const ItemComments = lazyWithRetry(() => import('./item-comments.tsx'));
export const ItemNotes = lazyWithRetry(() => import('./item-notes.tsx'));
