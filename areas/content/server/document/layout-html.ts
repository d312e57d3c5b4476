// Converts MJML to HTML as part of rendering on a worker thread: a large email takes tens of
// milliseconds.
import mjml2html from 'mjml';

/** Disables MJML's default fonts, which load from a third party. */
const OPTIONS = { validationLevel: 'soft', keepComments: true, fonts: {} } as const;

/** Converts MJML, with text still in slots, to HTML without superfluous whitespace. */
export async function compileMjml(mjml: string): Promise<string> {
  const { html, errors } = await mjml2html(mjml, OPTIONS);
  if (errors.length > 0) {
    throw new Error(`Not valid MJML: ${errors.map((error) => error.formattedMessage).join('; ')}`);
  }
  return shorten(html);
}

/** Removes whitespace between elements, which comes from MJML; the text is still in its slots. */
function shorten(html: string): string {
  return html
    .replace(/(?<![ \t])[ \t]*\n\s*/g, '\n')
    .replace(/>\n+</g, '><')
    .replace(/<!\[endif\]-->\n+/g, '<![endif]-->')
    .replace(/\n<!--/g, '<!--')
    .replace(/<(\w+)\n/g, '<$1 ')
    .replace(/"\s*\n>/g, '">')
    .replace(/ {2,}/g, ' ');
}
