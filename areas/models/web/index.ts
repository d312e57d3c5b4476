// Parts of assistance that screens of other areas use.
export type { AssistProgress } from './assist-dialog.tsx';
export { AssistDialog } from './assist-dialog-late.ts';
export { suggestManyTexts, suggestTexts, useIsAssisted } from './queries.ts';
