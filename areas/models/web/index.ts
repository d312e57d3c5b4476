// What screens of other areas use of assistance.
export { AssistDialog } from './assist-dialog-late.ts';
export { suggestManyTexts, suggestTexts, useIsAssisted } from './queries.ts';
