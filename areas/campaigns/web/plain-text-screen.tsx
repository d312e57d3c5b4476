// A campaign as plain text.
import { ComposeEmail } from './compose-email.tsx';

export default function PlainTextScreen() {
  return <ComposeEmail kind="text" />;
}
