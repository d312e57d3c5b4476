// Routes for content.
import type { FastifyRequest } from 'fastify';
import { commentRoutes } from '#areas/folders/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { createCloseSignal } from '#platform/server/http/event-stream.ts';
import {
  type Caller,
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { AccountSlots } from '#platform/server/account-slots.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls } from '../contract.ts';
import type { couponCalls } from '../coupons-contract.ts';
import { MAX_HTML_IMPORT_BYTES, MAX_IMAGE_BYTES } from '../shared.ts';
import type { savedTemplateCalls } from '../saved-templates-contract.ts';
import type { testRecipientCalls } from '../test-recipients-contract.ts';
import type { utmCalls } from '../utm-contract.ts';
import { readBrand, updateBrand } from './brand/brand.ts';
import { importHtmlUrl, importHtmlFile } from './html-import/import-html.ts';
import { importTemplate } from './html-import/import-template.ts';
import { previewDraft, toPreviewedSubscriber } from './composing/preview.ts';
import { toDraftContent, createDetachedEmail } from './composing/render-detached.ts';
import { findTestRecipients, removeTestRecipient } from './composing/test-recipients.ts';
import * as coupons from './personalization/coupons.ts';
import { suggestAltText } from './images/alt-text.ts';
import * as images from './images/images.ts';
import { importStockImage, listStockSources, searchStock } from './images/stock.ts';
import type { StockProvider } from './images/stock-provider.ts';
import { importVideoThumbnail } from './images/video-thumbnail.ts';
import { sendEmailPage } from './email-page.ts';
import { ContentError, type ContentFinding } from './personalization/message-source.ts';
import * as sections from './library/saved-sections.ts';
import * as saved from './library/saved-templates.ts';
import { commentedTemplates } from './library/saved-templates.ts';
import * as templates from './templates/templates.ts';
import { inlineStyles } from './thread.ts';
import { readUtmDefaults, updateUtmDefaults } from './utm/utm.ts';
import { readUpload, type UploadedFile } from './upload.ts';

/** Rate limit of calls that send a request to a third party's server. */
const ADDRESSES = { capacity: 30, perSecond: 60 / 3600 };
/** Rate limit of searches, which count against the installation's quota at the provider. */
const STOCK_LIMIT = { capacity: 60, perSecond: 200 / 3600 };
/** Limit of concurrent imports: each takes about 20 MB of memory until it is read. */
const importSlots = new AccountSlots(2);

const limits: CallLimits<typeof calls> = {
  importHtmlAddress: ({ db, caller }) =>
    requireToken(db, `bring-address:${caller.accountId}`, ADDRESSES),
  searchStock: ({ db, caller }) =>
    requireToken(db, `stock-search:${caller.accountId}`, STOCK_LIMIT),
  importVideoThumbnail: ({ db, caller }) =>
    requireToken(db, `video-thumbnail:${caller.accountId}`, ADDRESSES),
};

type ContentCalls = typeof calls;
type OwnHandlers<Names extends keyof ContentCalls> = Pick<Handlers<ContentCalls>, Names>;

type RenderedCall = 'renderDocument' | 'showTemplate' | 'showSavedTemplate';
type Options = { publicUrl: string; stockProviders: readonly StockProvider[] };

export const contentRoutes = (options: Options): Route[] => [
  ...commentRoutes(commentedTemplates),
  ...createRoutes(
    'content',
    calls,
    {
      ...previewHandlers(options),
      ...importHandlers,
      ...builtInTemplates,
      ...savedTemplates,
      ...savedSections,
      ...brand,
      ...pools,
      ...library,
      ...createStockHandlers(options),
      ...testRecipients,
      ...utm,
    },
    limits,
  ),
];

/** Previews of emails and templates. */
const previewHandlers = ({ publicUrl }: Options): OwnHandlers<RenderedCall> => ({
  renderDocument: async ({ db, caller, body: { document, subscriber, ...draftOptions } }) => {
    const email = await createDetachedEmail(db, caller.accountId, draftOptions);
    const draft = toDraftContent(document);
    const previewOptions = { publicUrl, needsVerifiedSender: false };
    return previewDraft(
      db,
      email,
      draft,
      toPreviewedSubscriber(caller, subscriber),
      previewOptions,
    );
  },
  showTemplate: async ({ db, caller, params, query, reply }) => {
    const page = await templates.renderTemplate(db, caller.accountId, params.id, publicUrl);
    return sendEmailPage(reply, page, query.v === undefined ? 'never' : 'days');
  },
  showSavedTemplate: async ({ db, caller, params, reply }) => {
    const page = await saved.renderSavedTemplate(db, caller.accountId, params.id, publicUrl);
    return sendEmailPage(reply, page, 'never');
  },
});

/** Imports of HTML. */
const importHandlers: OwnHandlers<
  'inlineCss' | 'importHtmlFile' | 'importHtmlAddress' | 'importTemplate'
> = {
  inlineCss: async ({ body }) => {
    try {
      return { html: await inlineStyles(body.html) };
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const [{ code, values = {} }] = error.findings as [ContentFinding];
      throw new AppError(code === 'too_large' ? 'content_too_large' : code, { values });
    }
  },
  importHtmlFile: ({ db, caller, request }) =>
    withUploadedFile(caller, request, (file) => importHtmlFile(db, caller, file)),
  importHtmlAddress: ({ body }) => importHtmlUrl(body.address),
  importTemplate: ({ db, caller, request }) =>
    withUploadedFile(caller, request, (file) => importTemplate(db, caller, file)),
};

const builtInTemplates: OwnHandlers<'listTemplates' | 'readTemplate'> = {
  listTemplates: ({ tx, caller }) => templates.listTemplates(tx, caller.accountId, caller.language),
  readTemplate: ({ tx, caller, params }) =>
    templates.readTemplate(tx, caller.accountId, params.id, caller.language),
};

const savedTemplates: Omit<
  Handlers<typeof savedTemplateCalls>,
  'importTemplate' | 'showSavedTemplate'
> = {
  listSavedTemplates: ({ tx, caller }) => saved.listSavedTemplates(tx, caller.accountId),
  readSavedTemplate: ({ tx, caller, params }) =>
    saved.readSavedTemplate(tx, caller.accountId, params.id),
  saveTemplate: ({ tx, caller, body }) => saved.saveTemplate(tx, caller, body),
  renameSavedTemplate: ({ tx, caller, params, body }) =>
    saved.renameSavedTemplate(tx, caller.accountId, params.id, body.title),
  deleteSavedTemplate: ({ tx, caller, params }) =>
    saved.deleteSavedTemplate(tx, caller.accountId, params.id),
};

const savedSections: OwnHandlers<
  'listSections' | 'readSection' | 'createSection' | 'updateSection' | 'deleteSection'
> = {
  listSections: ({ tx, caller, query }) => sections.listSections(tx, caller.accountId, query.list),
  readSection: ({ tx, caller, params }) => sections.readSection(tx, caller.accountId, params.id),
  createSection: ({ tx, caller, body }) => sections.createSection(tx, caller, body),
  updateSection: ({ tx, caller, params, body }) =>
    sections.updateSection(tx, caller.accountId, params.id, body),
  deleteSection: ({ tx, caller, params }) =>
    sections.deleteSection(tx, caller.accountId, params.id),
};

const brand: OwnHandlers<'readBrand' | 'updateBrand'> = {
  readBrand: ({ tx, caller }) => readBrand(tx, caller.accountId),
  updateBrand: ({ tx, caller, body }) => updateBrand(tx, caller.accountId, body),
};

const pools: Handlers<typeof couponCalls> = {
  listPools: ({ tx, caller }) => coupons.listPools(tx, caller.accountId),
  createPool: ({ tx, caller, body }) => coupons.createPool(tx, caller.accountId, body.title),
  renamePool: ({ tx, caller, params, body }) =>
    coupons.renamePool(tx, caller.accountId, params.id, body.title),
  deletePool: ({ tx, caller, params }) => coupons.deletePool(tx, caller.accountId, params.id),
  addCodes: ({ tx, caller, params, body }) =>
    coupons.addCodes(tx, caller.accountId, params.id, body.codes),
  generateCodes: ({ tx, caller, params, body }) =>
    coupons.generateCodes(tx, caller.accountId, params.id, body),
};

const testRecipients: Handlers<typeof testRecipientCalls> = {
  listTestRecipients: ({ tx, caller, query }) =>
    findTestRecipients(tx, caller.accountId, query.channel),
  deleteTestRecipient: ({ tx, caller, body }) => removeTestRecipient(tx, caller.accountId, body),
};

const utm: Handlers<typeof utmCalls> = {
  readUtmDefaults: ({ tx, caller }) => readUtmDefaults(tx, caller.accountId),
  updateUtmDefaults: ({ tx, caller, body }) => updateUtmDefaults(tx, caller.accountId, body),
};

const library: OwnHandlers<
  | 'listImages'
  | 'uploadImage'
  | 'importVideoThumbnail'
  | 'renameImage'
  | 'cropImage'
  | 'editImage'
  | 'readImageUses'
  | 'deleteImage'
  | 'suggestAltText'
> = {
  listImages: ({ tx, caller, query }) => images.listImages(tx, caller.accountId, query.list),
  uploadImage: ({ db, caller, request }) =>
    readToEndIfRefused(request, () => images.uploadImage(db, caller, () => readImage(request))),
  importVideoThumbnail: ({ db, caller, body }) => importVideoThumbnail(db, caller, body.address),
  renameImage: ({ tx, caller, params, body }) =>
    images.renameImage(tx, caller.accountId, params.id, body.name),
  cropImage: ({ db, caller, params, body }) => images.cropImage(db, caller, params.id, body),
  editImage: ({ db, caller, params, body }) => images.editImage(db, caller, params.id, body),
  readImageUses: ({ tx, caller, params }) => images.listImageUses(tx, caller.accountId, params.id),
  deleteImage: ({ tx, caller, params, body }) =>
    images.deleteImage(tx, caller.accountId, params.id, body.force === true),
  suggestAltText: ({ db, caller, body, reply }) =>
    suggestAltText(db, caller.accountId, body, createCloseSignal(reply)),
};

const createStockHandlers = ({
  stockProviders,
}: Options): OwnHandlers<'listStockSources' | 'searchStock' | 'importStockImage'> => ({
  listStockSources: async () => listStockSources(stockProviders),
  searchStock: ({ caller, query }) => searchStock(stockProviders, query, caller.language),
  importStockImage: ({ db, caller, body }) => importStockImage(db, caller, stockProviders, body),
});

const withUploadedFile = <T>(
  caller: Caller,
  request: FastifyRequest,
  importUpload: (file: UploadedFile) => Promise<T>,
): Promise<T> =>
  readToEndIfRefused(request, () =>
    importSlots.runInSlot(caller.accountId, async () =>
      importUpload(await readUpload(request, MAX_HTML_IMPORT_BYTES, 'html_file_too_large')),
    ),
  );

const readImage = (request: FastifyRequest) =>
  readUpload(request, MAX_IMAGE_BYTES, 'image_too_large');
