// The calls of content, each as a sentence.
import type { FastifyRequest } from 'fastify';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { IMAGE_MOST_BYTES } from '../limits.ts';
import { readBrand, updateBrand } from './brand.ts';
import { previewDraft } from './composing/preview.ts';
import { draftOfDocument, unowned } from './composing/unowned.ts';
import * as coupons from './coupons.ts';
import * as images from './images.ts';
import { ContentError, type Finding } from './message-source.ts';
import { sendMailPage } from './mail-page.ts';
import * as sections from './saved-sections.ts';
import * as templates from './templates.ts';
import { inlineStyles } from './thread.ts';

const done = { success: true as const };

export function contentRoutes(options: { publicUrl: string }): Route[] {
  const { publicUrl } = options;
  return serve('content', calls, {
    renderDocument: async ({ tx, who, body: { document, subscriber, ...wish } }) => {
      const email = await unowned(tx, who.accountId, wish);
      const draft = draftOfDocument(document);
      const looking = { publicUrl, needsVerifiedSender: false };
      return { data: await previewDraft(tx, email, draft, subscriber, looking) };
    },
    inlineCss: async ({ body }) => {
      try {
        return { data: { html: await inlineStyles(body.html) } };
      } catch (error) {
        if (!(error instanceof ContentError)) throw error;
        const [{ code, values = {} }] = error.findings as [Finding];
        throw new AppError(code === 'too_large' ? 'content_too_large' : code, { values });
      }
    },
    listTemplates: async ({ tx, who }) => ({
      data: await templates.listTemplates(tx, who.accountId, who.language),
    }),
    readTemplate: async ({ tx, who, params }) => ({
      data: await templates.readTemplate(tx, who.accountId, params.id, who.language),
    }),
    showTemplate: async ({ tx, who, params, query, reply }) => {
      const page = await templates.templateHtml(tx, who.accountId, params.id, publicUrl);
      return sendMailPage(reply, page, query.v !== undefined);
    },
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
    readBrand: async ({ tx, who }) => ({ data: await readBrand(tx, who.accountId) }),
    updateBrand: async ({ tx, who, body }) => ({
      data: await updateBrand(tx, who.accountId, body),
    }),
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
  });
}

async function readPicture(request: FastifyRequest): Promise<{ name: string; bytes: Buffer }> {
  const limits = { fileSize: IMAGE_MOST_BYTES, files: 1, fields: 10 };
  const part = request.isMultipart() ? await request.file({ limits }) : undefined;
  if (part === undefined) throw new AppError('file_missing');
  const bytes = await part.toBuffer().catch(() => {
    throw new AppError('image_too_large', { values: { limit: IMAGE_MOST_BYTES / 1024 / 1024 } });
  });
  return { name: nameOf(part.filename), bytes };
}

/** What the browser calls the file, without folders and without anything that a screen minds. */
function nameOf(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  return last.replace(/\p{C}/gu, '').trim().slice(0, 255) || 'image';
}
