// MJML → HTML, within the work of a document in a thread: a large email takes tens of milliseconds.
import mjml2html from 'mjml';

/** No fonts of its own choice: it would have them loaded from a third party. */
const OPTIONS = { validationLevel: 'soft', keepComments: true, fonts: {} } as const;

/** MJML of slots and numbers → HTML, without the blanks that only people read. */
export async function layoutHtml(mjml: string): Promise<string> {
  const { html, errors } = await mjml2html(mjml, OPTIONS);
  if (errors.length > 0) {
    throw new Error(`Not valid MJML: ${errors.map((error) => error.formattedMessage).join('; ')}`);
  }
  return shorter(html);
}

/** Blanks between elements are MJML's own; the words are still in their slots. */
function shorter(html: string): string {
  return html
    .replace(/(?<![ \t])[ \t]*\n\s*/g, '\n')
    .replace(/>\n+</g, '><')
    .replace(/<!\[endif\]-->\n+/g, '<![endif]-->')
    .replace(/\n<!--/g, '<!--')
    .replace(/<(\w+)\n/g, '<$1 ')
    .replace(/"\s*\n>/g, '">')
    .replace(/ {2,}/g, ' ');
}
