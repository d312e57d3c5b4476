// The confirmation email as custom HTML.
import { ComposeConfirmation } from './compose-confirmation.tsx';

export default function EmailHtmlScreen() {
  return <ComposeConfirmation kind="html" />;
}
