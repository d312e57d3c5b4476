// Messages for note codes, which explain why a subscriber waits, took a path or left.
import { useTexts } from '#platform/web/texts/texts.ts';

export function useNoteText(): (note: string) => string {
  const t = useTexts('workflows');
  return (note) => {
    if (note === '') return t('note.passed');
    if (/^[A-E]$/.test(note)) return t('conditionForm.path', { path: note });
    return t([`note.${note}`, 'note.other'], { note });
  };
}
