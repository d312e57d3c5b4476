// Rewrites and translates a plain text email.
import type { Language } from '#platform/languages.ts';
import { TextsAssist } from './texts-assist.tsx';

export interface PlainAssistProps {
  text: string;
  language: Language;
  onChange: (text: string) => void;
}

export default function PlainAssist({ text, language, onChange }: PlainAssistProps) {
  if (text.trim() === '') return null;
  return (
    <TextsAssist
      language={language}
      read={() => [{ node: null, path: [], kind: 'plain', value: text }]}
      accept={([change]) => {
        if (change?.value === text) onChange(change.next);
      }}
    />
  );
}
