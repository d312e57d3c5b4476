// Exports of content for other areas: merge tags, the renderer, previews, checks, signatures.

import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Tx } from '#platform/server/database.ts';
import { attachmentsPoller } from './attachments/purge.ts';
import { forgetDrawers } from './coupons.sql.ts';
import { picksPoller } from './forget-picks.ts';
import { fontsPlugin } from './fonts-plugin.ts';
import { imagesPlugin } from './images-plugin.ts';
import { imagesPoller } from './purge-images.ts';
import { contentRoutes } from './routes.ts';
import { shopLinksPlugin } from './shop-links-plugin.ts';
import { configureFonts } from './web-fonts.ts';

export function area(config: Config): Area {
  configureFonts(config.fontsUrl);
  return {
    name: 'content',
    routes: contentRoutes({ publicUrl: config.publicUrl }),
    plugins: [imagesPlugin, fontsPlugin, shopLinksPlugin],
    listens: [on(subscribersErased, forgetCopies), on(subscribersPurged, forgetCopies)],
    pollers: [imagesPoller, picksPoller, attachmentsPoller],
  };
}

export { listPreviewPeople } from './composing/preview.ts';

const forgetCopies = (
  tx: Tx,
  gone: { accountId: number; subscriberIds: number[] },
): Promise<void> => forgetDrawers(tx, gone.accountId, gone.subscriberIds);

export { FileGone, withFiles } from './attachments/attachments.ts';
export { attachable } from './attachments/kinds.ts';
export { contentsInUse, filesAwaited } from './attachments/purge.ts';
export { shopNamesIn } from '../shop-names.ts';
export { type CompiledMessage, compileMessage } from './compile-message.ts';
export { readComposed, saveComposed } from './composing/draft.ts';
export {
  type Email,
  type EmailOwner,
  type SendingOptions,
  sendingOptions,
  type TestEmail,
} from './composing/email.ts';
export { checkEmail } from './composing/findings.ts';
export { composingRoutes } from './composing/routes.ts';
export { messageSource } from './composing/source.ts';
export { membershipNames } from './conditions.ts';
export { type ContentRef, copyContent, saveContent } from './contents.ts';
export { copyValues, readsCopyValues } from './copy-values.ts';
export { shortPools } from './coupon-needs.ts';
export { createSigner, type DkimSigner } from './dkim.ts';
export { imageUsedBy } from './images.ts';
export { ADDED_UTM } from './instrumenting.ts';
export { resolveLink } from './masked-source.ts';
export type { Memberships } from './memberships.ts';
export type { Value, Values } from './merge-tags.ts';
export {
  ContentError,
  type Link,
  type AttachedPart,
  type MessageSource,
} from './message-source.ts';
export { messageWords } from './message-words.ts';
export { contentsNaming, lineNames, type Named } from './naming.ts';
export { type PersonRow, personValues } from './person-values.ts';
export { renderWhole } from './preview.ts';
export { imagesSent } from './purge-images.ts';
export { type QuickFinding, quickFindings } from './quick-findings.ts';
export {
  momentOf,
  mostBytes,
  type Recipient,
  type RenderMoment,
  render,
  textsFor,
} from './render.ts';
export { type ReadyScene, readyDocument } from './templates/ready.ts';
export { type CompiledText, compileText, LEAVE_POSITION, type TextSource } from './text-message.ts';
export { linksOfNew, previewSource, showMessage, subjectOf } from './thread.ts';
export { webFontFaces } from './web-fonts.ts';
export { firstEmail, learnWebsite } from './website/first-email.ts';
