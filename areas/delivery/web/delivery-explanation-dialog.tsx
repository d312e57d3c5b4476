// A dialog that searches for a subscriber or a campaign and explains whether and why the email was
// delivered. It also finds subscribers who were sent nothing and are therefore in no list.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SuggestField, type Suggestion } from '#platform/web/ui/suggest-field.tsx';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import WhyPanel, { type WhyQuestion } from './why-panel.tsx';

export interface DeliveryExplanationDialogProps {
  isOpen: boolean;
  close: () => void;
  searchFor: 'subscriber' | 'campaign';
  suggest: (term: string, signal: AbortSignal) => Promise<Suggestion[]>;
  getQuestion: (id: string) => WhyQuestion;
}

export default function DeliveryExplanationDialog({
  isOpen,
  close,
  searchFor,
  ...rest
}: DeliveryExplanationDialogProps) {
  const t = useTexts('feedback');
  return (
    <Dialog
      opened={useOpened(isOpen)}
      onClose={close}
      size="lg"
      title={t(`why.search.${searchFor}Title`)}
    >
      <SearchForm searchFor={searchFor} {...rest} />
    </Dialog>
  );
}

function SearchForm({
  searchFor,
  suggest,
  getQuestion,
}: Pick<DeliveryExplanationDialogProps, 'searchFor' | 'suggest' | 'getQuestion'>) {
  const t = useTexts('feedback');
  const [term, setTerm] = useState('');
  const [chosen, setChosen] = useState<string>();
  return (
    <Stack gap="md" mih={320}>
      <SuggestField
        label={t(`why.search.${searchFor}`)}
        placeholder={t(`why.search.${searchFor}Hint`)}
        value={term}
        onChange={(typedTerm) => {
          setTerm(typedTerm);
          setChosen(undefined);
        }}
        suggest={suggest}
        onPick={({ id, value }) => {
          setTerm(value);
          setChosen(id);
        }}
        minLength={1}
        emptyText={t(`why.search.${searchFor}None`)}
        data-autofocus
      />
      {chosen !== undefined && <WhyPanel key={chosen} question={getQuestion(chosen)} />}
    </Stack>
  );
}
