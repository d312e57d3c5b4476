// The text field for a new note about a subscriber, or for a new comment on an item.
import { Textarea } from '@mantine/core';
import { MAX_NOTE_LENGTH } from '../shared.ts';

interface NoteFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

export function NoteField({ label, value, onChange }: NoteFieldProps) {
  return (
    <Textarea
      aria-label={label}
      placeholder={label}
      mt="xs"
      autosize
      minRows={2}
      maxRows={8}
      maxLength={MAX_NOTE_LENGTH}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
