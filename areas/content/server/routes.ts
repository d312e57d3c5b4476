// Calls of content, each defined as one line.
import type { FastifyRequest } from 'fastify';
import { commentRoutes } from '#areas/folders/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { endedSignal } from '#platform/server/http/event-stream.ts';
import {
  type Caller,
  type Handlers,
  type Limits,
  type Route,
  serve,
} from '#platform/server/http/serve.ts';
import { Places } from '#platform/server/places.ts';
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
import { previewDraft, shownPerson } from './composing/preview.ts';
import { draftOfDocument, unowned } from './composing/render-detached.ts';
import { findTestRecipients, removeTestRecipient } from './composing/test-recipients.ts';
import * as coupons from './personalization/coupons.ts';
import { suggestAltText } from './images/alt-text.ts';
import * as images from './images/images.ts';
import { importStockImage, listStockSources, searchStock } from './images/stock.ts';
import type { StockProvider } from './images/stock-provider.ts';
import { importVideoThumbnail } from './images/video-thumbnail.ts';
import { sendEmailPage } from './email-page.ts';
import { ContentError, type Finding } from './personalization/message-source.ts';
import * as sections from './library/saved-sections.ts';
import * as saved from './library/saved-templates.ts';
import { commentedTemplates } from './library/saved-templates.ts';
import * as templates from './templates/templates.ts';
import { inlineStyles } from './thread.ts';
import { readUtmDefaults, updateUtmDefaults } from './utm/utm.ts';
import { readUpload, type Upload } from './upload.ts';

/** Each call requests a third party's server. */
const ADDRESSES = { capacity: 30, perSecond: 60 / 3600 };
/** Searches count against the installation's quota at the provider. */
const STOCK = { capacity: 60, perSecond: 200 / 3600 };
/** Each import takes about 20 MB of memory until it is read. */
const importSlots = new Places(2);

const limits: Limits<typeof calls> = {
  importHtmlAddress: ({ db, who }) => requireToken(db, `bring-address:${who.accountId}`, ADDRESSES),
  searchStock: ({ db, who }) => requireToken(db, `stock-search:${who.accountId}`, STOCK),
  importVideoThumbnail: ({ db, who }) =>
    requireToken(db, `video-thumbnail:${who.accountId}`, ADDRESSES),
};

type ContentCalls = typeof calls;
type OwnHandlers<Names extends keyof ContentCalls> = Pick<Handlers<ContentCalls>, Names>;

type RenderedCall = 'renderDocument' | 'showTemplate' | 'showSavedTemplate';
type Options = { publicUrl: string; stock: readonly StockProvider[] };

export const contentRoutes = (options: Options): Route[] => [
  ...commentRoutes(commentedTemplates),
  ...serve(
    'content',
    calls,
    {
      ...shown(options),
      ...importHandlers,
      ...templatesOurs,
      ...templatesSaved,
      ...savedSections,
      ...brand,
      ...pools,
      ...library,
      ...stockImages(options),
      ...testRecipients,
      ...utm,
    },
    limits,
  ),
];

/** Previews of emails and templates. */
const shown = ({ publicUrl }: Options): OwnHandlers<RenderedCall> => ({
  renderDocument: async ({ db, who, body: { document, subscriber, ...draftOptions } }) => {
    const email = await unowned(db, who.accountId, draftOptions);
    const draft = draftOfDocument(document);
    const previewOptions = { publicUrl, needsVerifiedSender: false };
    return previewDraft(db, email, draft, shownPerson(who, subscriber), previewOptions);
  },
  showTemplate: async ({ db, who, params, query, reply }) => {
    const page = await templates.templateHtml(db, who.accountId, params.id, publicUrl);
    return sendEmailPage(reply, page, query.v === undefined ? 'never' : 'days');
  },
  showSavedTemplate: async ({ db, who, params, reply }) => {
    const page = await saved.savedTemplateHtml(db, who.accountId, params.id, publicUrl);
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
      const [{ code, values = {} }] = error.findings as [Finding];
      throw new AppError(code === 'too_large' ? 'content_too_large' : code, { values });
    }
  },
  importHtmlFile: ({ db, who, request }) =>
    takeFile(who, request, (file) => importHtmlFile(db, who, file)),
  importHtmlAddress: ({ body }) => importHtmlUrl(body.address),
  importTemplate: ({ db, who, request }) =>
    takeFile(who, request, (file) => importTemplate(db, who, file)),
};

const templatesOurs: OwnHandlers<'listTemplates' | 'readTemplate'> = {
  listTemplates: ({ tx, who }) => templates.listTemplates(tx, who.accountId, who.language),
  readTemplate: ({ tx, who, params }) =>
    templates.readTemplate(tx, who.accountId, params.id, who.language),
};

const templatesSaved: Omit<
  Handlers<typeof savedTemplateCalls>,
  'importTemplate' | 'showSavedTemplate'
> = {
  listSavedTemplates: ({ tx, who }) => saved.listSavedTemplates(tx, who.accountId),
  readSavedTemplate: ({ tx, who, params }) => saved.readSavedTemplate(tx, who.accountId, params.id),
  saveTemplate: ({ tx, who, body }) => saved.saveTemplate(tx, who, body),
  renameSavedTemplate: ({ tx, who, params, body }) =>
    saved.renameSavedTemplate(tx, who.accountId, params.id, body.title),
  deleteSavedTemplate: ({ tx, who, params }) =>
    saved.deleteSavedTemplate(tx, who.accountId, params.id),
};

const savedSections: OwnHandlers<
  'listSections' | 'readSection' | 'createSection' | 'updateSection' | 'deleteSection'
> = {
  listSections: ({ tx, who, query }) => sections.listSections(tx, who.accountId, query.list),
  readSection: ({ tx, who, params }) => sections.readSection(tx, who.accountId, params.id),
  createSection: ({ tx, who, body }) => sections.createSection(tx, who, body),
  updateSection: ({ tx, who, params, body }) =>
    sections.updateSection(tx, who.accountId, params.id, body),
  deleteSection: ({ tx, who, params }) => sections.deleteSection(tx, who.accountId, params.id),
};

const brand: OwnHandlers<'readBrand' | 'updateBrand'> = {
  readBrand: ({ tx, who }) => readBrand(tx, who.accountId),
  updateBrand: ({ tx, who, body }) => updateBrand(tx, who.accountId, body),
};

const pools: Handlers<typeof couponCalls> = {
  listPools: ({ tx, who }) => coupons.listPools(tx, who.accountId),
  createPool: ({ tx, who, body }) => coupons.createPool(tx, who.accountId, body.title),
  renamePool: ({ tx, who, params, body }) =>
    coupons.renamePool(tx, who.accountId, params.id, body.title),
  deletePool: ({ tx, who, params }) => coupons.deletePool(tx, who.accountId, params.id),
  addCodes: ({ tx, who, params, body }) =>
    coupons.addCodes(tx, who.accountId, params.id, body.codes),
  generateCodes: ({ tx, who, params, body }) =>
    coupons.generateCodes(tx, who.accountId, params.id, body),
};

const testRecipients: Handlers<typeof testRecipientCalls> = {
  listTestRecipients: ({ tx, who, query }) => findTestRecipients(tx, who.accountId, query.channel),
  deleteTestRecipient: ({ tx, who, body }) => removeTestRecipient(tx, who.accountId, body),
};

const utm: Handlers<typeof utmCalls> = {
  readUtmDefaults: ({ tx, who }) => readUtmDefaults(tx, who.accountId),
  updateUtmDefaults: ({ tx, who, body }) => updateUtmDefaults(tx, who.accountId, body),
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
  listImages: ({ tx, who, query }) => images.listImages(tx, who.accountId, query.list),
  uploadImage: ({ db, who, request }) =>
    readToEndIfRefused(request, () => images.uploadImage(db, who, () => readPicture(request))),
  importVideoThumbnail: ({ db, who, body }) => importVideoThumbnail(db, who, body.address),
  renameImage: ({ tx, who, params, body }) =>
    images.renameImage(tx, who.accountId, params.id, body.name),
  cropImage: ({ db, who, params, body }) => images.cropImage(db, who, params.id, body),
  editImage: ({ db, who, params, body }) => images.editImage(db, who, params.id, body),
  readImageUses: ({ tx, who, params }) => images.imageUses(tx, who.accountId, params.id),
  deleteImage: ({ tx, who, params, body }) =>
    images.deleteImage(tx, who.accountId, params.id, body.force === true),
  suggestAltText: ({ db, who, body, reply }) =>
    suggestAltText(db, who.accountId, body, endedSignal(reply)),
};

const stockImages = ({
  stock,
}: Options): OwnHandlers<'listStockSources' | 'searchStock' | 'importStockImage'> => ({
  listStockSources: async () => listStockSources(stock),
  searchStock: ({ who, query }) => searchStock(stock, query, who.language),
  importStockImage: ({ db, who, body }) => importStockImage(db, who, stock, body),
});

const takeFile = <T>(
  who: Caller,
  request: FastifyRequest,
  importUpload: (file: Upload) => Promise<T>,
): Promise<T> =>
  readToEndIfRefused(request, () =>
    importSlots.hold(who.accountId, async () =>
      importUpload(await readUpload(request, MAX_HTML_IMPORT_BYTES, 'html_file_too_large')),
    ),
  );

const readPicture = (request: FastifyRequest) =>
  readUpload(request, MAX_IMAGE_BYTES, 'image_too_large');
