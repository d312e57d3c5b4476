// The confirmation email as plain text.
import { ComposeConfirmation } from './compose-confirmation.tsx';

export default function EmailTextScreen() {
  return <ComposeConfirmation kind="text" />;
}
