import { HtmlEditor } from '../../content/web/index.ts';
import { SourceScreen } from './source-screen.tsx';

export default function CustomHtmlScreen() {
  return <SourceScreen kind="html" editor={HtmlEditor} />;
}
