// A template of another service, exported there as HTML: kept among the account's own, with its styles in the
// elements and its tags as ours.
import { readFields } from '#areas/fields/server/index.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { newBlock, newDocument, newSection, pad } from '../../document-factory.ts';
import { TEMPLATE_TITLE_MOST } from '../../limits.ts';
import { ContentError } from '../message-source.ts';
import { saveTemplate } from '../saved-templates.ts';
import { inlineStyles, partsOfTemplate } from '../thread.ts';
import { bringFile } from './bring.ts';

type Who = { accountId: number; userId: number };

/** What one HTML block may hold: see the limits of the document's texts. */
const BLOCK_MOST = 200_000;

/** As `bringFile` and `saveTemplate` refuse. */
export async function bringTemplate(db: Db, who: Who, file: { name: string; bytes: Buffer }) {
  const { html, missing } = await bringFile(db, who, file);
  const inlined = await inlineStyles(html).catch((error: unknown) => {
    // A sheet that cannot be read leaves the template without it.
    if (error instanceof ContentError) return html;
    throw error;
  });
  const fields = await readFields(db, who.accountId);
  const { title, own } = await partsOfTemplate(
    inlined,
    fields.map((field) => field.name),
  );
  if (own.length > BLOCK_MOST) throw new AppError('content_too_large');
  const block = newBlock('html', { html: own, style: { padding: pad(0) } });
  const document = newDocument([newSection([[block]], { padding: pad(0) })]);
  const name = cutText(title || file.name.replace(/\.\w{1,5}$/, ''), TEMPLATE_TITLE_MOST);
  const kept = await inTransaction(db, (tx) =>
    saveTemplate(tx, who, { title: name || 'HTML', document }),
  );
  return { ...kept, missing };
}
