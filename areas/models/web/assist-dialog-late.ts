// The dialog is rarely opened: it loads with its first opening.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const AssistDialog = late(() => import('./assist-dialog.tsx'));
