// Imports custom HTML from a file, a ZIP with images, or a URL. Images of a ZIP are added to the
// library; images of a page get absolute URLs. Nothing else is saved: the author sees the result in
// the editor first.
import path from 'node:path';
import { cutText } from '#platform/server/clean-text.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { type ZipEntry, ZipError, ZipFile } from '#platform/server/files/zip.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import {
  MAX_HTML_IMPORT_BYTES,
  MAX_HTML_IMPORT_IMAGES,
  MAX_LISTED_MISSING_REFERENCES,
  MAX_IMAGE_BYTES,
  MAX_CONTENT_BYTES,
} from '../../shared.ts';
import { uploadImage } from '../images/images.ts';
import { extractSheetAddresses, extractReferences, replaceInSheet } from '../thread.ts';
import { fetchPublic } from '../website/fetch-public.ts';
import { decodePage } from './decode-page.ts';
import { isRelativeReference, type Reference, replaceReferences } from './references.ts';

export type ImportedHtml = {
  html: string;
  /** Number of images added to the library. */
  images: number;
  /** References that could not be imported. */
  missing: string[];
};

const MEGABYTE = 1024 * 1024;
const ZIP_LIMITS = { maxUnpackedBytes: 60 * MEGABYTE, maxRatio: 200 };
const PAGE_MS = 15_000;
const MAX_SHEETS = 5;
const MAX_SHEET_BYTES = 200_000;
const HTML_NAME = /\.x?html?$/i;
const isZip = (bytes: Buffer) => bytes.subarray(0, 4).toString('hex') === '504b0304';

/** @throws AppError with a message for anything unreadable */
export async function importHtmlFile(
  db: Db,
  caller: Actor,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<ImportedHtml> {
  if (isZip(bytes)) return importHtmlZip(db, caller, bytes);
  if (!isPage(name, bytes.subarray(0, 1_000))) throw new AppError('no_html_found');
  return { html: requireAllowedSize(decodePage(bytes)), images: 0, missing: [] };
}

const PAGE = /^\s*<(?:!doctype|html|head|body|table|div|!--)/i;

function isPage(name: string, head: Buffer): boolean {
  if (head.includes(0) && !isWide(head)) return false;
  return HTML_NAME.test(name) || PAGE.test(decodePage(head));
}

/** Detects UTF-16 by its byte order mark; every second byte of its Latin text is zero. */
const isWide = (bytes: Buffer) => /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2));

/** @throws content_too_large above the size limit of a content */
function requireAllowedSize(html: string): string {
  if (Buffer.byteLength(html) > MAX_CONTENT_BYTES) throw new AppError('content_too_large');
  return html;
}

async function importHtmlZip(db: Db, caller: Actor, bytes: Buffer): Promise<ImportedHtml> {
  try {
    const zip = await ZipFile.fromBuffer(bytes, ZIP_LIMITS);
    const page = findPage(zip);
    const html = requireAllowedSize(decodePage(await readBytes(zip, page, MAX_CONTENT_BYTES * 2)));
    return await new ZipPage(db, caller, zip, page).importHtml(html);
  } catch (error) {
    if (error instanceof ZipError) throw new AppError(`zip_${error.code}`);
    throw error;
  }
}

/**
 * Returns the HTML file at the highest level of a ZIP: `index.html` if present, or else the first
 * by name.
 */
function findPage(zip: ZipFile): ZipEntry {
  const rankEntry = (name: string) =>
    name.split('/').length * 2 + (/(?:^|\/)index\.x?html?$/i.test(name) ? 0 : 1);
  const [best] = [...zip.entries]
    .filter(([name]) => HTML_NAME.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name))
    .toSorted(([a], [b]) => rankEntry(a) - rankEntry(b) || (a < b ? -1 : 1));
  if (!best) throw new AppError('zip_no_html');
  return { ...best[1], name: best[0] };
}

async function readBytes(zip: ZipFile, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of zip.read(entry)) {
    size += chunk.length;
    if (size > maxBytes) throw new ZipError('too_large', entry.name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** One page of a ZIP, whose references are resolved only within the archive. */
class ZipPage {
  private readonly db: Db;
  private readonly caller: Actor;
  private readonly zip: ZipFile;
  private readonly folder: string;
  /** Names of entries by their lower-case form, for case-insensitive lookups. */
  private readonly names = new Map<string, string>();
  private readonly replacements = new Map<string, string | undefined>();
  private readonly missingUrls = new Set<string>();
  private readonly images = new Set<string>();

  constructor(db: Db, caller: Actor, zip: ZipFile, page: ZipEntry) {
    this.db = db;
    this.caller = caller;
    this.zip = zip;
    this.folder = path.posix.dirname(page.name);
    for (const name of zip.entries.keys()) this.names.set(name.toLowerCase(), name);
  }

  async importHtml(html: string): Promise<ImportedHtml> {
    const references = await extractReferences(html);
    const relative = references.filter(
      ({ kind, address }) => kind !== 'link' && isRelativeReference(address),
    );
    const imageAddresses = new Set(
      relative.filter(({ kind }) => kind === 'picture').map(({ address }) => address),
    );
    if (imageAddresses.size > MAX_HTML_IMPORT_IMAGES) {
      throw new AppError('zip_many_pictures', { values: { limit: MAX_HTML_IMPORT_IMAGES } });
    }
    for (const address of imageAddresses)
      this.replacements.set(address, await this.importImage(address));
    for (const { kind, address } of relative) {
      if (kind === 'sheet')
        this.replacements.set(`sheet ${address}`, await this.importStyleSheet(address));
    }
    const importedHtml = replaceReferences(html, references, ({ kind, address }) =>
      this.replacements.get(kind === 'sheet' ? `sheet ${address}` : address),
    );
    return {
      html: requireAllowedSize(importedHtml),
      images: this.images.size,
      missing: presentMissing(this.missingUrls),
    };
  }

  /** The archive entry for a URL used in a file of `folder`; undefined if there is none. */
  private findEntry(
    address: string,
    folder: string,
  ): { name: string; entry: ZipEntry } | undefined {
    const [written = ''] = address.split(/[?#]/);
    const name = path.posix.join(written.startsWith('/') ? '' : folder, toPlainName(written));
    const entryName = this.names.get(name.replace(/^\/+/, '').toLowerCase());
    const entry = entryName === undefined ? undefined : this.zip.entries.get(entryName);
    return entryName !== undefined && entry ? { name: entryName, entry } : undefined;
  }

  /**
   * URL of the image in the library. Undefined for missing and unreadable images, whose references
   * are left unchanged and reported.
   */
  private async importImage(address: string, folder = this.folder): Promise<string | undefined> {
    const match = this.findEntry(address, folder);
    if (!match) return this.recordMissing(address);
    const bytes = await readBytes(this.zip, match.entry, MAX_IMAGE_BYTES);
    const name = cutText(path.posix.basename(match.name).replace(/\p{C}/gu, ''), 255) || 'image';
    try {
      const { src } = await uploadImage(this.db, this.caller, () =>
        Promise.resolve({ name, bytes }),
      );
      this.images.add(src);
      return src;
    } catch (error) {
      if (!(error instanceof AppError) || !UNREADABLE.has(error.code)) throw error;
      return this.recordMissing(address);
    }
  }

  private async importStyleSheet(address: string): Promise<string | undefined> {
    const match = this.findEntry(address, this.folder);
    if (!match) return this.recordMissing(address);
    const css = decodePage(await readBytes(this.zip, match.entry, MAX_SHEET_BYTES));
    const folder = path.posix.dirname(match.name);
    const replacements = new Map<string, string | undefined>();
    const relative = (await extractSheetAddresses(css)).filter(isRelativeReference);
    for (const url of relative.slice(0, MAX_HTML_IMPORT_IMAGES)) {
      replacements.set(url, await this.importImage(url, folder));
    }
    return toStyleElement(await replaceInSheet(css, [...replacements]));
  }

  private recordMissing(address: string): undefined {
    this.missingUrls.add(address);
  }
}

const UNREADABLE = new Set([
  'image_unreadable',
  'image_format',
  'image_too_large',
  'image_too_many_pixels',
]);

function toPlainName(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('\\', '/');
  } catch {
    return name.replaceAll('\\', '/');
  }
}

/** Returns a style element with the sheet, or '' if the sheet would close the element. */
const toStyleElement = (css: string) => (/<\/style/i.test(css) ? '' : `<style>\n${css}\n</style>`);

const presentMissing = (missing: ReadonlySet<string>) =>
  [...missing].slice(0, MAX_LISTED_MISSING_REFERENCES).map((url) => cutText(url, 200));

/**
 * Imports the page at a public URL with embedded style sheets and absolute URLs, without scripts.
 * @throws AppError with a message if it cannot be fetched
 */
export async function importHtmlUrl(address: string): Promise<ImportedHtml> {
  const deadline = Date.now() + PAGE_MS;
  const page = await fetchPublic(address, {
    deadline,
    maxBytes: MAX_HTML_IMPORT_BYTES,
    accept: 'text/html',
  });
  if (!page) throw new AppError('page_unreachable');
  if (!/html|xml/.test(page.type)) throw new AppError('page_no_html');
  const charset = /charset="?([\w.:-]{1,40})/.exec(page.type)?.[1];
  const html = requireAllowedSize(decodePage(page.body, charset));
  const references = await extractReferences(html);
  const base = resolveBase(references, page.url);
  const missing = new Set<string>();
  const sheets = await fetchSheets(references, base, deadline, missing);
  const importedHtml = replaceReferences(html, references, (reference) => {
    const { kind, address: target } = reference;
    if (kind === 'drop' || kind === 'base') return '';
    if (kind === 'sheet') return sheets.get(target) ?? '';
    return isRelativeReference(target) ? URL.parse(target, base)?.href : undefined;
  });
  return {
    html: requireAllowedSize(importedHtml),
    images: 0,
    missing: presentMissing(missing),
  };
}

const resolveBase = (references: readonly Reference[], url: string): string => {
  const baseHref = references.find(({ kind }) => kind === 'base')?.address;
  const base = baseHref === undefined ? undefined : URL.parse(baseHref, url);
  return base && /^https?:$/.test(base.protocol) ? base.href : url;
};

async function fetchSheets(
  references: readonly Reference[],
  base: string,
  deadline: number,
  missing: Set<string>,
): Promise<Map<string, string>> {
  const addresses = references.filter(({ kind }) => kind === 'sheet').map(({ address }) => address);
  const sheets = new Map<string, string>();
  for (const address of new Set(addresses)) {
    const url = URL.parse(address, base)?.href;
    const sheet =
      url === undefined || sheets.size >= MAX_SHEETS
        ? undefined
        : await fetchPublic(url, {
            deadline,
            maxBytes: MAX_SHEET_BYTES + 1,
            accept: 'text/css',
          });
    if (!sheet || !sheet.type.includes('css') || sheet.body.length > MAX_SHEET_BYTES) {
      missing.add(address);
      continue;
    }
    const css = decodePage(sheet.body);
    const replacements = (await extractSheetAddresses(css))
      .filter(isRelativeReference)
      .map((relativeUrl) => [relativeUrl, URL.parse(relativeUrl, sheet.url)?.href] as const);
    sheets.set(address, toStyleElement(await replaceInSheet(css, replacements)));
  }
  return sheets;
}
