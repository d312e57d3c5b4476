// A field to choose the sender of an SMS. The only usable sender is selected immediately, and a
// sender that is added from here is selected on return.
import { Anchor, Select, type SelectProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useSenders } from '../queries.ts';
import { finishReturn, type ReturnTarget, rememberReturn } from '../return-target.ts';

interface SenderFieldProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  value: string | null | undefined;
  onChange: (id: string) => void;
  /** Screen that the setup of a new sender returns to. */
  returnTo: ReturnTarget;
}

export function SenderField({ value, onChange, returnTo, ...props }: SenderFieldProps) {
  const t = useTexts('sms');
  const choices = useSenders().data?.data ?? [];
  const chooseManually = useSuggestion(value ?? '', onChange);
  return (
    <Select
      label={t('fields.sender')}
      placeholder={t('fields.senderNone')}
      required
      allowDeselect={false}
      comboboxProps={{ shadow: 'md' }}
      data={choices.map(({ id, value: name, status }) => ({
        value: id,
        label: status === 'active' ? name : `${name} (${t(`phones.states.${status}`)})`,
      }))}
      description={
        <Anchor
          component={Link}
          to="/sms/create-sender"
          size="xs"
          onClick={() => rememberReturn(returnTo)}
        >
          {t('phones.add')}
        </Anchor>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...props}
      value={value || null}
      onChange={(id) => id !== null && chooseManually(id)}
    />
  );
}

/** Until the user chooses, selects the sender that was just added or the only usable one. */
function useSuggestion(value: string, onChange: (id: string) => void): (id: string) => void {
  const senders = useSenders().data?.data;
  const [addedSender, setAddedSender] = useState<string>();
  useEffect(() => {
    const sender = finishReturn();
    if (sender !== undefined) setAddedSender(sender);
  }, []);
  // The added sender is selected before the list arrives, so that a user who continues immediately
  // gets no error.
  const isSelectable =
    addedSender !== undefined && (senders?.some(({ id }) => id === addedSender) ?? true);
  const suggestedSender = isSelectable
    ? addedSender
    : value === ''
      ? findSoleSender(senders ?? [])
      : undefined;
  useEffect(() => {
    if (suggestedSender !== undefined && suggestedSender !== value) onChange(suggestedSender);
  });
  return (id) => {
    setAddedSender(undefined);
    onChange(id);
  };
}

type Sender = { id: string; status: string };

/** Finds the only active sender or, if none is active, the only sender. */
export function findSoleSender(senders: readonly Sender[]): string | undefined {
  const active = senders.filter(({ status }) => status === 'active');
  const [first, second] = active.length > 0 ? active : senders;
  return second === undefined ? first?.id : undefined;
}
