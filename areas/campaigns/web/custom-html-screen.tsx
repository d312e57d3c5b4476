// A campaign as custom HTML.
import { ComposeEmail } from './compose-email.tsx';

export default function CustomHtmlScreen() {
  return <ComposeEmail kind="html" />;
}
