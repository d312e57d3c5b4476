// The confirmation email as plain text.
import { TextEditor } from '../../content/web/index.ts';
import { MailSource } from './mail-source.tsx';

export default function MailTextScreen() {
  return <MailSource kind="text" editor={TextEditor} />;
}
