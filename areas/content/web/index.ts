// Exports of content's web half: composing an email (editors, previews, checks, test emails) for
// its owners. The editors load when opened.
import { api } from './queries.ts';
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const DocumentEditor = late(() => import('./composing/document-editor.tsx'));
export const HtmlEditor = late(() => import('./composing/html-editor.tsx'));
export const TextEditor = late(() => import('./composing/text-editor.tsx'));
export const EditorChoice = late(() => import('./composing/editor-choice.tsx'));
export const OtherStarts = late(() => import('./composing/other-starts.tsx'));
export const TemplateGallery = late(() => import('./template-gallery.tsx'));
/** Image picker of the account's library. */
export const ImageLibrary = late(() => import('./images/library-dialog.tsx'));
/** Coupon pools with their unused codes. */
export const allCouponPools = () => api.query('GET /client-api/api/coupon_pools');
export {
  type Composing,
  type EmailPlace,
  type Finding,
  saveDocument,
} from './composing/composing.ts';
export { useBrand, useBrandColors } from './brand/use-brand.ts';
export { EmailPreview, usePlainPreview } from './composing/email-preview.tsx';
export {
  EnvelopeFields,
  EnvelopePreview,
  envelopeOf,
  useEnvelopeRules,
} from './composing/envelope-fields.tsx';
export { findingsOf } from './composing/errors-of.ts';
export { Findings } from './composing/findings.tsx';
export type { SourceEditorProps } from './composing/html-editor.tsx';
export { InboxRow } from './composing/inbox-row.tsx';
export { OwnEditor } from './composing/own-editor.tsx';
export { PreviewFrame } from './preview/preview-frame.tsx';
export { PersonSelect } from './composing/person-select.tsx';
export { TestEmailButton } from './composing/test-email.tsx';
