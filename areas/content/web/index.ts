// Exports of the content area for the areas whose items have emails: editors, previews, checks and
// test emails. The editors are loaded when they open.

import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const OtherStarts = lazyWithRetry(() => import('./composing/start-cards.tsx'));
export const TemplateGallery = lazyWithRetry(() => import('./template-gallery.tsx'));
/** Image picker of the account's library. */
export const ImageLibrary = lazyWithRetry(() => import('./images/library-dialog.tsx'));
export { useBrand, useBrandColors } from './brand/use-brand.ts';
export {
  type EmailRef,
  type EditorFinding,
  saveDocument,
} from './composing/composing.ts';
export { type ComposedEmail, EmailComposer } from './composing/email-composer.tsx';
export { EmailPreview, usePlainPreview } from './composing/email-preview.tsx';
export {
  type EnvelopeValues,
  EnvelopeFields,
  EnvelopePreview,
  createEnvelope,
  useEnvelopeRules,
} from './composing/envelope-fields.tsx';
export { listCouponPoolsQuery } from './coupons/all-pools.ts';
export { readFindings } from './composing/read-findings.ts';
export { Findings } from './composing/findings.tsx';
export { InboxRow } from './composing/inbox-row.tsx';
export { SubscriberSelect } from './composing/subscriber-select.tsx';
export { TestEmailButton } from './composing/test-email.tsx';
export { PreviewFrame } from './preview/preview-frame.tsx';
