// The confirmation email as custom HTML.
import { HtmlEditor } from '../../content/web/index.ts';
import { ConfirmationSource } from './mail-source.tsx';

export default function EmailHtmlScreen() {
  return <ConfirmationSource kind="html" editor={HtmlEditor} />;
}
