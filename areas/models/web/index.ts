// What screens of other areas use of assistance.
export { AssistDialog } from './assist-dialog-late.ts';
export { suggestTexts, useIsAssisted } from './queries.ts';
