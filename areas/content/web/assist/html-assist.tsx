// Translating of a custom HTML email: its texts, never its tags.
import type { Language } from '#platform/languages.ts';
import { applyToHtml, textsOfHtml } from './email-texts.ts';
import { TextsAssist } from './texts-assist.tsx';

export interface HtmlAssistProps {
  html: string;
  language: Language;
  onChange: (html: string) => void;
}

export default function HtmlAssist({ html, language, onChange }: HtmlAssistProps) {
  if (html.trim() === '') return null;
  return (
    <TextsAssist
      isWholeEmail
      language={language}
      read={() => textsOfHtml(html)}
      accept={(changes) => onChange(applyToHtml(html, changes))}
    />
  );
}
