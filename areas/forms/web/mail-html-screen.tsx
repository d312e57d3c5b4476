// The confirmation email as custom HTML.
import { HtmlEditor } from '../../content/web/index.ts';
import { MailSource } from './mail-source.tsx';

export default function MailHtmlScreen() {
  return <MailSource kind="html" editor={HtmlEditor} />;
}
