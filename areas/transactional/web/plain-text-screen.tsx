import { TextEditor } from '../../content/web/index.ts';
import { SourceScreen } from './source-screen.tsx';

export default function PlainTextScreen() {
  return <SourceScreen kind="text" editor={TextEditor} />;
}
