// Notes about a subscriber and comments on an item, loaded on demand: most pages open without them.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const ItemComments = lazyWithRetry(() => import('./item-comments.tsx'));
export const ItemNotes = lazyWithRetry(() => import('./item-notes.tsx'));
