// Finds a subscriber or a campaign, and shows why the email arrived or did not, even for
// subscribers who got nothing and therefore appear in no list.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SuggestField, type Suggestion } from '#platform/web/ui/suggest-field.tsx';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import WhyPanel, { type WhyQuestion } from './why-panel.tsx';

export interface WhyQuestionDialogProps {
  isOpen: boolean;
  close: () => void;
  /** The kind of object to find. */
  about: 'person' | 'campaign';
  suggest: (term: string, signal: AbortSignal) => Promise<Suggestion[]>;
  questionOf: (id: string) => WhyQuestion;
}

export default function WhyQuestionDialog({
  isOpen,
  close,
  about,
  ...rest
}: WhyQuestionDialogProps) {
  const t = useTexts('feedback');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} size="lg" title={t(`why.ask.${about}Title`)}>
      <QuestionForm about={about} {...rest} />
    </Dialog>
  );
}

function QuestionForm({
  about,
  suggest,
  questionOf,
}: Pick<WhyQuestionDialogProps, 'about' | 'suggest' | 'questionOf'>) {
  const t = useTexts('feedback');
  const [term, setTerm] = useState('');
  const [chosen, setChosen] = useState<string>();
  return (
    <Stack gap="md" mih={320}>
      <SuggestField
        label={t(`why.ask.${about}`)}
        placeholder={t(`why.ask.${about}Hint`)}
        value={term}
        onChange={(typed) => {
          setTerm(typed);
          setChosen(undefined);
        }}
        suggest={suggest}
        onPick={({ id, value }) => {
          setTerm(value);
          setChosen(id);
        }}
        minLength={1}
        nothingFound={t(`why.ask.${about}None`)}
        data-autofocus
      />
      {chosen !== undefined && <WhyPanel key={chosen} question={questionOf(chosen)} />}
    </Stack>
  );
}
