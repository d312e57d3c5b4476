// The dialog behind `confirm`, loaded with the first question.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { showError } from '../errors/errors.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { pendingConfirmation, type ConfirmQuestion } from './confirm.tsx';
import { toLatinDigits } from '#platform/digits.ts';
import { useOpened } from '../hooks/use-opened.ts';
import classes from './confirm-dialog.module.css';
import { Dialog } from './form-dialog.tsx';

/** Above the dialog that opened it. */
const ABOVE_DIALOGS = 300;

/** Shows the current question; rendered once in the app. */
export default function ConfirmDialog() {
  const question = useStore(pendingConfirmation);
  const [shown, setShown] = useState(question);
  useEffect(() => {
    if (question) setShown(question);
  }, [question]);
  const close = (yes: boolean) => {
    question?.resolve(yes);
    pendingConfirmation.set(undefined);
  };
  return (
    <Dialog
      opened={useOpened(question !== undefined)}
      onClose={() => close(false)}
      title={shown?.title}
      size="md"
      zIndex={ABOVE_DIALOGS}
    >
      {shown && <Body key={shown.title + shown.message} question={shown} close={close} />}
    </Dialog>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    // Focusable, so that the keyboard scrolls a long list.
    <Text component="ul" className={classes.names} tabIndex={0}>
      {names.map((name, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- names may be identical
        <li key={index}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </Text>
  );
}

function Body({ question, close }: { question: ConfirmQuestion; close: (yes: boolean) => void }) {
  const t = useTexts('platform');
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isReady =
    question.requiredText === undefined || toLatinDigits(typed.trim()) === question.requiredText;
  const runAction = async () => {
    setBusy(true);
    try {
      await question.run?.();
      close(true);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void runAction();
      }}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{question.message}</Text>
      {question.names && <Names names={question.names} />}
      {question.requiredText !== undefined && (
        <TextInput
          mt="md"
          label={t('confirm.type', { words: question.requiredText })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => close(false)}>
          {question.cancel ?? t('confirm.cancel')}
        </Button>
        <Button
          type="submit"
          color={question.isDanger ? 'danger' : undefined}
          loading={isBusy}
          disabled={!isReady}
          data-autofocus={question.requiredText === undefined || undefined}
        >
          {question.confirm}
        </Button>
      </Group>
    </form>
  );
}
