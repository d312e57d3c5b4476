// Public interface of content for higher areas and main/: stored content, attachments, rendering of
// emails and SMS, previews, checks, DKIM signatures, brands and websites.

import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { eraseTestRecipients } from './composing/test-recipients.ts';
import { attachmentsPoller } from './attachments/purge.ts';
import { countdownPlugin } from './countdowns/countdown-plugin.ts';
import {
  drawCouponCode,
  erasePersonalization,
  rewritePools,
} from './personalization/coupons.sql.ts';
import { picksPoller } from './personalization/delete-picks.ts';
import { fontsPlugin } from './brand/fonts-plugin.ts';
import { imagesPlugin } from './images/images-plugin.ts';
import { imagesPoller } from './images/purge-images.ts';
import type { StockProvider } from './images/stock-provider.ts';
import { contentRoutes } from './routes.ts';
import { shopLinksPlugin } from './personalization/shop-links-plugin.ts';
import { configureFonts } from './brand/web-fonts.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { listLibraryWithAddress } from './library/content-references.ts';
import { rewriteSections } from './library/saved-sections.sql.ts';
import { rewriteTemplates, searchableTemplates } from './library/saved-templates.sql.ts';
import { rewriteImages } from './images/images.sql.ts';
import { findBrandNaming } from './brand/brand.sql.ts';
import { findUtmNaming } from './utm/utm.sql.ts';

export function area(
  config: Config,
  { stockProviders }: { stockProviders: readonly StockProvider[] },
): Area {
  configureFonts(config.fontsUrl);
  return {
    name: 'content',
    description:
      'Email content: templates, saved sections, images, the brand, coupons, HTML import and rendering.',
    routes: contentRoutes({ publicUrl: config.publicUrl, stockProviders }),
    plugins: [imagesPlugin, countdownPlugin, fontsPlugin, shopLinksPlugin],
    eventHandlers: [
      on(subscribersErased, deleteCopies),
      on(subscribersErased, eraseTestRecipients),
      on(
        addressesErased,
        eraseFromTexts(rewriteTemplates, rewriteSections, rewriteImages, rewritePools),
      ),
      on(subscribersPurged, deleteCopies),
    ],
    pollers: [imagesPoller, picksPoller, attachmentsPoller],
    questionHandlers: [
      handleQuestion(contentsNamingAddresses, findUtmNaming),
      handleQuestion(contentsNamingAddresses, findBrandNaming),
      handleQuestion(searchQuestion, searchIn('template', 'template', searchableTemplates)),
      handleQuestion(contentsNamingAddresses, listLibraryWithAddress),
    ],
  };
}

export type { StockProvider };

export { listPreviewSubscribers } from './composing/preview.ts';

const deleteCopies = (
  tx: Tx,
  deletion: { accountId: number; subscriberIds: number[] },
): Promise<void> => erasePersonalization(tx, deletion.accountId, deletion.subscriberIds);

export { readAttachedFiles, MissingFileError, loadFiles } from './attachments/attachments.ts';
export { identifyAttachment } from './attachments/kinds.ts';
export { contentsInUse, filesAwaited } from './attachments/purge.ts';
export { listShopNames } from '../shop-names.ts';
export { type CompiledMessage, compileMessage, SUBMITTED } from './mime/compile-message.ts';
export { readComposed, saveComposed } from './composing/draft.ts';
export {
  type Email,
  type EmailAdapter,
  type SendingOptions,
  readSendingOptions,
  type TestEmail,
} from './composing/email.ts';
export { checkEmail } from './composing/findings.ts';
export { createEmailOutline, listHosts, extractLinks } from './composing/outline.ts';
export { composingRoutes } from './composing/routes.ts';
export { rememberTestRecipients } from './composing/test-recipients.ts';
export { createMessageSource, readStoredContent } from './composing/source.ts';
export { listMembershipNames } from './personalization/conditions.ts';
export { type ContentCopy, copyFiles, dropFiles, saveCopy } from './copy-to-account.ts';
export { type ContentRef, copyContent, saveContent } from './contents.ts';
export { copyValues, usesCopyValues } from './personalization/copy-values.ts';
export { findShortPools } from './composing/coupon-needs.ts';
export { drawCouponCode };
export { createSigner, type DkimSigner } from './mime/dkim.ts';
export { imageUsedBy } from './images/images.ts';
export { readUtmDefaults, resolveUtm, type UtmCampaign } from './utm/utm.ts';
export { ADDED_UTM } from './html/instrumenting.ts';
export { resolveLink } from './html/masked-source.ts';
export type { Memberships } from './personalization/memberships.ts';
export type { MergeValue, MergeValues } from './personalization/merge-tags.ts';
export { createContentError } from './checks/content-invalid.ts';
export {
  ContentError,
  type MessageLink,
  type AttachedPart,
  type MessageSource,
} from './personalization/message-source.ts';
export { messageTexts } from './personalization/message-texts.ts';
export {
  listContentsNaming,
  listContentsWithAddress,
  lineNames,
  type NamedResource,
} from './library/content-references.ts';
export { type MergeSubscriberRow, toSubscriberValues } from './personalization/person-values.ts';
export { type PreviewedSubscriber, toPreviewedSubscriber } from './composing/preview.ts';
export { renderWhole } from './preview.ts';
export { imagesSent } from './images/purge-images.ts';
export { type QuickFinding, listQuickFindings } from './composing/quick-findings.ts';
export {
  createRenderMoment,
  computeMaxBytes,
  type MessageRecipient,
  type RenderMoment,
  render,
  renderTexts,
} from './mime/render.ts';
export { type ReadyScene, createReadyDocument } from './templates/ready.ts';
export { getSampleValues } from './templates/templates.ts';
export {
  type CompiledSms,
  compileSms,
  LEAVE_POSITION,
  type TextSource,
} from './mime/sms-message.ts';
export { extractNewLinks, previewSource, showMessage, renderSubject } from './thread.ts';
export { readBrand } from './brand/brand.ts';
export { listWebFontFaces } from './brand/web-fonts.ts';
export { createFirstEmail, learnWebsite } from './website/first-email.ts';
