// The confirmation email as plain text.
import { TextEditor } from '../../content/web/index.ts';
import { ConfirmationSource } from './mail-source.tsx';

export default function EmailTextScreen() {
  return <ConfirmationSource kind="text" editor={TextEditor} />;
}
