// Calls of content, each defined as one line.
import type { FastifyRequest } from 'fastify';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
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
import { readBrand, updateBrand } from './brand/brand.ts';
import { importHtmlUrl, importHtmlFile } from './html-import/import-html.ts';
import { importTemplate } from './html-import/import-template.ts';
import { previewDraft } from './composing/preview.ts';
import { draftOfDocument, unowned } from './composing/unowned.ts';
import * as coupons from './personalization/coupons.ts';
import * as images from './images/images.ts';
import { sendEmailPage } from './mail-page.ts';
import { ContentError, type Finding } from './personalization/message-source.ts';
import * as sections from './library/saved-sections.ts';
import * as saved from './library/saved-templates.ts';
import * as templates from './templates/templates.ts';
import { inlineStyles } from './thread.ts';
import { readUpload, type Upload } from './upload.ts';

/** Each call requests a third party's server. */
const ADDRESSES = { capacity: 30, perSecond: 60 / 3600 };
/** Each import takes about 20 MB of memory until it is read. */
const importSlots = new Places(2);

const limits: Limits<typeof calls> = {
  bringAddress: ({ db, who }) => requireToken(db, `bring-address:${who.accountId}`, ADDRESSES),
};

const done = { success: true as const };

type ContentCalls = typeof calls;
type Own<Names extends keyof ContentCalls> = Pick<Handlers<ContentCalls>, Names>;

type Shown = 'renderDocument' | 'showTemplate' | 'showSavedTemplate';
type Options = { publicUrl: string };

export const contentRoutes = (options: Options): Route[] =>
  serve(
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
    },
    limits,
  );

/** Previews of emails and templates. */
const shown = ({ publicUrl }: Options): Own<Shown> => ({
  renderDocument: async ({ db, who, body: { document, subscriber, ...draftOptions } }) => {
    const email = await unowned(db, who.accountId, draftOptions);
    const draft = draftOfDocument(document);
    const previewOptions = { publicUrl, needsVerifiedSender: false };
    return { data: await previewDraft(db, email, draft, subscriber, previewOptions) };
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
const importHandlers: Own<'inlineCss' | 'bringFile' | 'bringAddress' | 'bringTemplate'> = {
  inlineCss: async ({ body }) => {
    try {
      return { data: { html: await inlineStyles(body.html) } };
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const [{ code, values = {} }] = error.findings as [Finding];
      throw new AppError(code === 'too_large' ? 'content_too_large' : code, { values });
    }
  },
  bringFile: async ({ db, who, request }) => ({
    data: await takeFile(who, request, (file) => importHtmlFile(db, who, file)),
  }),
  bringAddress: async ({ body }) => ({ data: await importHtmlUrl(body.address) }),
  bringTemplate: async ({ db, who, request }) => ({
    data: await takeFile(who, request, (file) => importTemplate(db, who, file)),
  }),
};

const templatesOurs: Own<'listTemplates' | 'readTemplate'> = {
  listTemplates: async ({ tx, who }) => ({
    data: await templates.listTemplates(tx, who.accountId, who.language),
  }),
  readTemplate: async ({ tx, who, params }) => ({
    data: await templates.readTemplate(tx, who.accountId, params.id, who.language),
  }),
};

const templatesSaved: Omit<
  Handlers<typeof savedTemplateCalls>,
  'bringTemplate' | 'showSavedTemplate'
> = {
  listSavedTemplates: async ({ tx, who }) => ({
    data: await saved.listSavedTemplates(tx, who.accountId),
  }),
  readSavedTemplate: async ({ tx, who, params }) => ({
    data: await saved.readSavedTemplate(tx, who.accountId, params.id),
  }),
  saveTemplate: async ({ tx, who, body }) => ({
    data: await saved.saveTemplate(tx, who, body),
  }),
  renameSavedTemplate: async ({ tx, who, params, body }) => ({
    data: await saved.renameSavedTemplate(tx, who.accountId, params.id, body.title),
  }),
  deleteSavedTemplate: async ({ tx, who, params }) => {
    await saved.deleteSavedTemplate(tx, who.accountId, params.id);
    return done;
  },
};

const savedSections: Own<
  'listSections' | 'readSection' | 'createSection' | 'updateSection' | 'deleteSection'
> = {
  listSections: ({ tx, who, query }) => sections.listSections(tx, who.accountId, query.list),
  readSection: async ({ tx, who, params }) => ({
    data: await sections.readSection(tx, who.accountId, params.id),
  }),
  createSection: async ({ tx, who, body }) => ({
    data: await sections.createSection(tx, who, body),
  }),
  updateSection: async ({ tx, who, params, body }) => ({
    data: await sections.updateSection(tx, who.accountId, params.id, body),
  }),
  deleteSection: async ({ tx, who, params }) => {
    await sections.deleteSection(tx, who.accountId, params.id);
    return done;
  },
};

const brand: Own<'readBrand' | 'updateBrand'> = {
  readBrand: async ({ tx, who }) => ({ data: await readBrand(tx, who.accountId) }),
  updateBrand: async ({ tx, who, body }) => ({
    data: await updateBrand(tx, who.accountId, body),
  }),
};

const pools: Handlers<typeof couponCalls> = {
  listPools: async ({ tx, who }) => ({ data: await coupons.listPools(tx, who.accountId) }),
  createPool: async ({ tx, who, body }) => ({
    data: await coupons.createPool(tx, who.accountId, body.title),
  }),
  renamePool: async ({ tx, who, params, body }) => ({
    data: await coupons.renamePool(tx, who.accountId, params.id, body.title),
  }),
  deletePool: async ({ tx, who, params }) => {
    await coupons.deletePool(tx, who.accountId, params.id);
    return done;
  },
  addCodes: async ({ tx, who, params, body }) => ({
    data: await coupons.addCodes(tx, who.accountId, params.id, body.codes),
  }),
  generateCodes: async ({ tx, who, params, body }) => ({
    data: await coupons.generateCodes(tx, who.accountId, params.id, body),
  }),
};

const library: Own<
  'listImages' | 'uploadImage' | 'renameImage' | 'cropImage' | 'readImageUses' | 'deleteImage'
> = {
  listImages: ({ tx, who, query }) => images.listImages(tx, who.accountId, query.list),
  uploadImage: async ({ db, who, request }) => ({
    data: await readToEndIfRefused(request, () =>
      images.uploadImage(db, who, () => readPicture(request)),
    ),
  }),
  renameImage: async ({ tx, who, params, body }) => ({
    data: await images.renameImage(tx, who.accountId, params.id, body.name),
  }),
  cropImage: async ({ db, who, params, body }) => ({
    data: await images.cropImage(db, who, params.id, body),
  }),
  readImageUses: async ({ tx, who, params }) => ({
    data: await images.imageUses(tx, who.accountId, params.id),
  }),
  deleteImage: async ({ tx, who, params, body }) => {
    await images.deleteImage(tx, who.accountId, params.id, body.force === true);
    return done;
  },
};

const takeFile = <T>(
  who: Caller,
  request: FastifyRequest,
  importUpload: (file: Upload) => Promise<T>,
): Promise<T> =>
  readToEndIfRefused(request, () =>
    importSlots.hold(who.accountId, async () =>
      importUpload(await readUpload(request, MAX_HTML_IMPORT_BYTES, 'brought_too_large')),
    ),
  );

const readPicture = (request: FastifyRequest) =>
  readUpload(request, MAX_IMAGE_BYTES, 'image_too_large');
