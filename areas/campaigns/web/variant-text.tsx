// The design of a variant as plain text.
import { ComposeVariant } from './compose-variant.tsx';

export default function VariantText() {
  return <ComposeVariant kind="text" />;
}
