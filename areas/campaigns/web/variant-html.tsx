// The design of a variant as custom HTML.
import { ComposeVariant } from './compose-variant.tsx';

export default function VariantHtml() {
  return <ComposeVariant kind="html" />;
}
