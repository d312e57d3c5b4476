// Translates a custom HTML email: its text, never its tags.
import type { Language } from '#platform/languages.ts';
import { applyToHtml, listHtmlTexts } from './email-texts.ts';
import { TextsAssist } from './texts-assist.tsx';

export interface HtmlAssistProps {
  html: string;
  language: Language;
  onChange: (html: string) => void;
  saveInDuplicate?: ((html: string, language: Language) => Promise<void>) | undefined;
}

export default function HtmlAssist(props: HtmlAssistProps) {
  const { html, language, onChange, saveInDuplicate } = props;
  if (html.trim() === '') return null;
  return (
    <TextsAssist
      isWholeEmail
      language={language}
      read={() => listHtmlTexts(html)}
      accept={(changes) => onChange(applyToHtml(html, changes))}
      acceptInDuplicate={
        saveInDuplicate && ((changes, to) => saveInDuplicate(applyToHtml(html, changes), to))
      }
    />
  );
}
