// Built-in templates: documents in the account's language and brand. The renderer creates the
// thumbnails.
import { createHash } from 'node:crypto';
import { readAccount } from '#areas/accounts/server/index.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import type { EmailDocument } from '../../document.ts';
import type { TemplatePurpose } from '../../shared.ts';
import { applyBrand, readBrand } from '../brand/brand.ts';
import type { Envelope } from '../composing/email.ts';
import { createMessageSource } from '../composing/source.ts';
import { createSampleShopValues } from '../personalization/sample-products.ts';
import { toDraftContent, createDetachedEmail } from '../composing/render-detached.ts';
import { expandRepeatedRow } from '../document/repeated-row.ts';
import type { MergeValues } from '../personalization/merge-tags.ts';
import { previewSource } from '../thread.ts';
import { TEMPLATES, type TemplateDefinition } from './all.ts';
import { templateTexts } from './template-texts.ts';
import { thumbnails } from './thumbnails.ts';

type PresentedTemplate = {
  id: string;
  purpose: TemplatePurpose;
  title: string;
  description: string;
  thumbnail_url: string;
};

/** Titles are in the user's language; the emails are in the account's language. */
export async function listTemplates(
  db: Reader,
  accountId: number,
  reader: Language,
): Promise<PresentedTemplate[]> {
  const version = await readTemplatesVersion(db, accountId, await readLanguage(db, accountId));
  return TEMPLATES.map((template) => present(template, reader, version));
}

export async function readTemplate(
  db: Reader,
  accountId: number,
  id: string,
  reader: Language,
): Promise<PresentedTemplate & { document: EmailDocument; subject: string }> {
  const language = await readLanguage(db, accountId);
  const template = findTemplate(id);
  const version = await readTemplatesVersion(db, accountId, language);
  const document = await createTemplateDocument(db, accountId, template, language);
  const subject = template.subject?.(templateTexts(language)) ?? '';
  return { ...present(template, reader, version), document, subject };
}

/** Returns the page of a thumbnail. */
export async function renderTemplate(
  db: Reader,
  accountId: number,
  id: string,
  publicUrl: string,
): Promise<string> {
  const language = await readLanguage(db, accountId);
  const template = findTemplate(id);
  const kind = template.purpose === 'transactional' ? 'transactional' : 'marketing';
  const version = await readTemplatesVersion(db, accountId, language);
  return thumbnails.getPage(`${accountId} ${id} ${version}`, async () => {
    const document = await createTemplateDocument(db, accountId, template, language);
    return renderDocumentPage(db, accountId, document, publicUrl, kind);
  });
}

/** Renders a document's HTML page for a sample recipient. */
export async function renderDocumentPage(
  db: Reader,
  accountId: number,
  document: EmailDocument,
  publicUrl: string,
  kind: Envelope['kind'] = 'marketing',
): Promise<string> {
  const language = await readLanguage(db, accountId);
  const email = await createDetachedEmail(db, accountId, { language });
  const options = { publicUrl, needsVerifiedSender: false };
  const draft = toDraftContent(addSampleItems(document, language));
  const ofKind = { ...email, envelope: { ...email.envelope, kind } };
  const source = await createMessageSource(db, ofKind, options, draft);
  const values = {
    ...getSampleValues(language),
    ...SAMPLE_RECIPIENTS[language],
    ...(await createSampleShopValues(db, { accountId, language })),
  } as MergeValues;
  return (await previewSource({ ...source, message_id: 0 }, values, clock.now())).html ?? '';
}

/**
 * Returns realistic values of common variables of transactional emails, such as an amount for
 * `total`.
 */
export const getSampleValues = (language: Language): Record<string, unknown> =>
  templateTexts(language).samples;

/** Adds sample items to the document's repeated rows. */
export function addSampleItems(document: EmailDocument, language: Language): EmailDocument {
  const samples = getSampleValues(language);
  const filledDocument = structuredClone(document);
  for (const section of filledDocument.sections)
    for (const column of section.columns)
      column.blocks = column.blocks.map((block) => {
        if (block.type !== 'table' || !block.each) return block;
        const items = samples[block.each];
        return expandRepeatedRow(block, Array.isArray(items) ? items : [{}]);
      });
  return filledDocument;
}

/** Sample recipient of thumbnails. */
const SAMPLE_RECIPIENTS: Record<Language, Record<string, string>> = {
  eng: { firstname: 'Sarah', email: 'sarah@example.com' },
  nor: { firstname: 'Ingrid', email: 'ingrid@example.com' },
  swe: { firstname: 'Elsa', email: 'elsa@example.com' },
  lit: { firstname: 'Rūta', email: 'ruta@example.com' },
  fas: { firstname: 'سارا', email: 'sara@example.com' },
  lav: { firstname: 'Līga', email: 'liga@example.com' },
};

async function readLanguage(db: Reader, accountId: number): Promise<Language> {
  const { language } = await readAccount(db, accountId);
  return isLanguage(language) ? language : 'eng';
}

function findTemplate(id: string): TemplateDefinition {
  const template = TEMPLATES.find((template) => template.id === id);
  if (!template) throw notFound();
  return template;
}

async function createTemplateDocument(
  db: Reader,
  accountId: number,
  template: TemplateDefinition,
  language: Language,
): Promise<EmailDocument> {
  const document = template.create(templateTexts(language));
  return applyBrand(document, await readBrand(db, accountId));
}

/**
 * Returns the version of thumbnails, for their URLs and caches. It changes with the account's
 * brand, language and title, and with the number of templates.
 */
export async function readTemplatesVersion(
  db: Reader,
  accountId: number,
  requestedLanguage?: Language,
): Promise<string> {
  const language = requestedLanguage ?? (await readLanguage(db, accountId));
  const brand = await readBrand(db, accountId);
  const { title } = await readAccount(db, accountId);
  const versionInputs = JSON.stringify([brand, language, title, TEMPLATES.length]);
  return createHash('sha256').update(versionInputs).digest('hex').slice(0, 12);
}

function present(
  { id, purpose }: TemplateDefinition,
  language: Language,
  version: string,
): PresentedTemplate {
  const texts = templateTexts(language);
  const { title, description } = texts.titles[id] ?? { title: id, description: '' };
  const thumbnail_url = `/client-api/api/templates/${id}/html?v=${version}`;
  return { id, purpose, title, description, thumbnail_url };
}
