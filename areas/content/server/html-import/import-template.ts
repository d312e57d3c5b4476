// Imports an HTML file that another service exported as a template. It becomes a template of the
// account, with inlined styles and converted merge tags.
import { readFields } from '#areas/fields/server/index.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { createBlock, createEmailDocument, createSection, pad } from '../../document-factory.ts';
import { MAX_TEMPLATE_TITLE } from '../../shared.ts';
import { ContentError } from '../personalization/message-source.ts';
import { saveTemplate } from '../library/saved-templates.ts';
import { inlineStyles, extractTemplateParts } from '../thread.ts';
import { importHtmlFile } from './import-html.ts';

/** Maximum length of one HTML block; see the text limits of the document. */
const MAX_BLOCK = 200_000;

/** @throws the errors of `importHtmlFile` and `saveTemplate` */
export async function importTemplate(db: Db, caller: Actor, file: { name: string; bytes: Buffer }) {
  const { html, missing } = await importHtmlFile(db, caller, file);
  const inlinedHtml = await inlineStyles(html).catch((error: unknown) => {
    // The template is imported without inlining. The style sheets in the head are then lost,
    // because only the body is imported.
    if (error instanceof ContentError) return html;
    throw error;
  });
  const fields = await readFields(db, caller.accountId);
  const { title, body } = await extractTemplateParts(
    inlinedHtml,
    fields.map((field) => field.name),
  );
  if (body.length > MAX_BLOCK) throw new AppError('content_too_large');
  const block = createBlock('html', { html: body, style: { padding: pad(0) } });
  const document = createEmailDocument([createSection([[block]], { padding: pad(0) })]);
  const name = cutText(title || file.name.replace(/\.\w{1,5}$/, ''), MAX_TEMPLATE_TITLE);
  const template = await inTransaction(db, (tx) =>
    saveTemplate(tx, caller, { title: name || 'HTML', document }),
  );
  return { ...template, missing };
}
