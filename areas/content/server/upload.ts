// Reads one uploaded file (multipart, one part `file`) into memory.
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#platform/server/errors.ts';

const MAX_NAME_LENGTH = 255;

export type UploadedFile = { name: string; bytes: Buffer };

/**
 * Fails if the caller lost access during the upload. @param tooLarge code of the error that is
 * thrown for a file of more than `max` bytes; the error's `limit` is in megabytes
 */
export async function readUpload(
  request: FastifyRequest,
  max: number,
  tooLarge: string,
): Promise<UploadedFile> {
  const limits = { fileSize: max, files: 1, fields: 10 };
  const filePart = request.isMultipart() ? await request.file({ limits }) : undefined;
  if (filePart === undefined) throw new AppError('file_missing');
  const bytes = await filePart.toBuffer().catch(() => {
    throw new AppError(tooLarge, { values: { limit: max / 1024 / 1024 } });
  });
  await request.recheckAccess?.();
  return { name: sanitizeFileName(filePart.filename ?? '', MAX_NAME_LENGTH) || 'file', bytes };
}

/**
 * Characters not allowed in file names: control characters, unpaired surrogates, bidirectional
 * controls, byte order marks, and quotation marks.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufeff"]/gu;

/**
 * Removes folders from the file name and shortens it, preserving the extension. Returns '' if
 * nothing remains.
 */
export function sanitizeFileName(rawName: string, max: number): string {
  const fileName = rawName.split(/[/\\]/).at(-1) ?? '';
  const name = fileName.replace(HIDDEN, '').trim();
  if (name.length <= max) return name;
  const extension = path.extname(name).slice(0, 20);
  const baseName = name.slice(0, max - extension.length);
  return `${baseName.replace(/[\ud800-\udbff]$/, '')}${extension}`;
}
