// Maps issues of a draft and errors of publishing it to the part of the builder where the user can
// fix them: a tab, a block or a field.
import type { DraftIssue } from './draft-issues.ts';
import type { FormBuilder, BuilderTab } from './store.ts';

type FixTarget = {
  tab: BuilderTab;
  /** Selects the block that shows the code. */
  isCode?: true;
  /** Focuses the field with this name. */
  field?: string;
};

export const FIX_PLACES: Partial<Record<DraftIssue | PublishError, FixTarget>> = {
  code: { tab: 'success', isCode: true },
  pool: { tab: 'success', isCode: true },
  promise: { tab: 'success' },
  groups: { tab: 'settings', field: 'groups' },
  contrast: { tab: 'design' },
  sender_missing: { tab: 'settings', field: 'from_email' },
  sender_not_verified: { tab: 'settings', field: 'from_email' },
  email_missing: { tab: 'content' },
  field_unknown: { tab: 'content' },
  wheel_missing: { tab: 'content' },
};

/** Errors of publishing. */
const PUBLISH_ERRORS = [
  'sender_missing',
  'sender_not_verified',
  'email_missing',
  'field_unknown',
  'wheel_missing',
] as const;
export type PublishError = (typeof PUBLISH_ERRORS)[number];

export const toPublishError = (error: unknown): PublishError | undefined => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return PUBLISH_ERRORS.find((refusal) => refusal === code);
};

const WAIT_MS = 50;
const MAX_TRIES = 40;

/** Opens this part of the builder and focuses the field once its tab has loaded. */
export function focusFixTarget({ store }: FormBuilder, { tab, isCode, field }: FixTarget): void {
  const { success } = store.getState().document.document;
  const code = isCode && success.find(({ kind }) => kind === 'code');
  store.setState({ tab, selectedId: code ? code.id : null, isSheetOpen: true });
  if (!field) return;
  const focus = (attempts: number) => {
    const input = document.querySelector<HTMLElement>(`[data-field="${field}"] input`);
    if (input) input.focus();
    else if (attempts < MAX_TRIES) setTimeout(() => focus(attempts + 1), WAIT_MS);
  };
  focus(0);
}
