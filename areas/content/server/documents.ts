// Documents on their way in: checked, or refused with each place named; their rich text cleaned.
import { AppError } from '#platform/server/errors.ts';
import type { Block, EmailDocument, Section } from '../document.ts';
import { DOCUMENT_LIMITS } from '../document.ts';
import { type DocumentProblem, problemsOf, sectionProblems } from '../document-rules.ts';
import { cleanRichText } from './rich-text.ts';

/**
 * The document with clean rich text. Throws `document_newer` (made by a newer version of this
 * product: nothing is changed) or `document_invalid` with `problems`.
 */
export function takeDocument(value: unknown): EmailDocument {
  refuse(problemsOf(value), value);
  const document = value as EmailDocument;
  return { ...document, sections: document.sections.map(cleanSection) };
}

export function takeSection(value: unknown): Section {
  refuse(sectionProblems(value), value);
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

/** No text keeps NUL, which PostgreSQL cannot hold, or half a character. Own HTML stays as written. */
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
