// Texts of note codes: why a subscriber waits, took a path or ended.
import { useTexts } from '#platform/web/texts/texts.ts';

export function useNoteText(): (note: string) => string {
  const t = useTexts('workflows');
  return (note) => {
    if (note === '') return t('note.passed');
    if (/^[A-E]$/.test(note)) return t('conditionForm.path', { path: note });
    return t([`note.${note}`, 'note.other'], { note });
  };
}
