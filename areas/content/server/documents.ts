// Validates incoming documents and cleans their rich text; each error names the part of the
// document.
import { AppError } from '#platform/server/errors.ts';
import type { Block, EmailDocument, Section } from '../document.ts';
import { DOCUMENT_LIMITS } from '../document.ts';
import {
  type DocumentProblem,
  findDocumentProblems,
  findSectionProblems,
} from '../document-rules.ts';
import { cleanRichText } from './rich-text.ts';

/**
 * Returns the document with cleaned rich text. @throws `document_newer` for a document of a newer
 * version, which is left unchanged, or `document_invalid` with `problems`
 */
export function parseDocument(value: unknown): EmailDocument {
  refuse(findDocumentProblems(value), value);
  const document = value as EmailDocument;
  return { ...document, sections: document.sections.map(cleanSection) };
}

export function parseSection(value: unknown): Section {
  refuse(findSectionProblems(value), value);
  return cleanSection(value as Section);
}

function refuse(problems: readonly DocumentProblem[], value: unknown): void {
  if (problems.some(({ code }) => code === 'document_newer')) throw new AppError('document_newer');
  if (problems.length > 0) throw new AppError('document_invalid', { extra: { problems } });
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > DOCUMENT_LIMITS.bytes) {
    const problem: DocumentProblem = { code: 'document_too_large', place: '', node: null };
    throw new AppError('document_invalid', { extra: { problems: [problem] } });
  }
}

function cleanSection(section: Section): Section {
  return {
    ...section,
    columns: section.columns.map((column) => ({
      ...column,
      blocks: column.blocks.map(cleanBlock),
    })),
  };
}

/**
 * Cleans rich text. In all strings, removes NUL, which PostgreSQL cannot store, and replaces
 * unpaired surrogates; the elements of custom HTML are unchanged.
 */
function cleanBlock(block: Block): Block {
  const clean = JSON.parse(JSON.stringify(block), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  ) as Block;
  if (clean.type === 'html') return clean;
  if (clean.type === 'table') {
    return { ...clean, rows: clean.rows.map((row) => row.map(cleanRichText)) };
  }
  return 'html' in clean ? { ...clean, html: cleanRichText(clean.html) } : clean;
}
