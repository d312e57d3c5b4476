// Asks for one value: text, email, url, tel, select or multiselect. What is typed is cleaned of
// markup; `subscribersField` asks for a field's title with the specified words.
import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api-error.ts';
import { showError } from '../errors.ts';
import { sanitise } from '../sanitise.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts.ts';
import { isEmail, isHttpUrl, phoneFault } from '../validators.ts';
import { SearchableMultiSelect, SearchableSelect } from './searchable-select.tsx';

export type InputType = 'text' | 'email' | 'url' | 'tel' | 'select' | 'multiselect';

export interface InputQuestion<Type extends InputType = InputType> {
  type: Type;
  title: string;
  label: string;
  description?: string;
  placeholder?: string;
  value?: Answer<Type>;
  /** For select and multiselect. */
  options?: { value: string; label: string }[];
  /** multiselect: at most so many. */
  maxValues?: number;
  /** Characters at most. */
  maxChar?: number;
  /** A subscriber field's title: "Field is required", "Title is too short" (under 3). */
  subscribersField?: boolean;
  /** tel: the country of numbers written without their prefix. */
  country?: string;
  /** The button's verb. */
  confirm: string;
  /** Runs while the dialog waits; a 422's words land below the field. */
  send?: (value: Answer<Type>) => Promise<unknown>;
}

export type Answer<Type extends InputType> = Type extends 'multiselect' ? string[] : string;

type Value = string | string[];

const leastTitle = 3;

interface Asked extends Omit<InputQuestion, 'send' | 'value'> {
  value: Value;
  send: ((value: Value) => Promise<unknown>) | undefined;
  answer: (value: Value | undefined) => void;
}

const asked = createStore<Asked | undefined>(undefined);

/** Resolves to the value, or undefined if the dialog was closed. */
export function askInput<Type extends InputType>(
  question: InputQuestion<Type>,
): Promise<Answer<Type> | undefined> {
  asked.get()?.answer(undefined);
  return new Promise((resolve) => {
    asked.set({
      ...question,
      value: question.value ?? (question.type === 'multiselect' ? [] : ''),
      send: question.send as Asked['send'],
      answer: resolve as Asked['answer'],
    });
  });
}

/** Stands once in the app. */
export function InputDialog() {
  const t = useTexts('platform');
  const question = useStore(asked);
  const close = (value: Value | undefined) => {
    question?.answer(value);
    asked.set(undefined);
  };
  return (
    <Modal
      opened={question !== undefined}
      onClose={() => close(undefined)}
      title={question?.title}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      {question && <Body question={question} close={close} />}
    </Modal>
  );
}

function Body({ question, close }: { question: Asked; close: (value?: Value) => void }) {
  const t = useTexts('platform');
  const [value, setValue] = useState(question.value);
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    const clean = typeof value === 'string' ? sanitise(value) : value;
    setBusy(true);
    try {
      const found = await faultOf(question, clean);
      if (found) return setFault(t(found, { max: question.maxChar }));
      await question.send?.(clean);
      close(clean);
    } catch (error) {
      const words = error instanceof ApiError ? Object.values(error.errors).flat().join(' ') : '';
      if (words) setFault(words);
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field
        question={question}
        value={value}
        fault={fault}
        onChange={(next) => {
          setValue(next);
          setFault(undefined);
        }}
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => close(undefined)}>
          {t('confirm.cancel')}
        </Button>
        <Button type="submit" loading={isBusy}>
          {question.confirm}
        </Button>
      </Group>
    </form>
  );
}

interface FieldProps {
  question: Asked;
  value: Value;
  fault: string | undefined;
  onChange: (value: Value) => void;
}

function Field({ question, value, fault, onChange }: FieldProps) {
  const { type, label, description, placeholder, options, maxChar, maxValues } = question;
  const shared = { label, description, placeholder, error: fault, 'data-autofocus': true };
  if (type === 'multiselect') {
    return (
      <SearchableMultiSelect
        {...shared}
        data={options ?? []}
        maxValues={maxValues}
        value={Array.isArray(value) ? value : []}
        onChange={onChange}
      />
    );
  }
  const written = Array.isArray(value) ? '' : value;
  if (type === 'select') {
    return (
      <SearchableSelect
        {...shared}
        data={options ?? []}
        value={written || null}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      type={type}
      value={written}
      maxLength={maxChar}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The key of what is wrong with the value, if anything. */
async function faultOf(question: Asked, value: Value): Promise<string | undefined> {
  if (Array.isArray(value)) return value.length === 0 ? 'fields.chooseOne' : undefined;
  if (question.subscribersField) {
    if (value === '') return 'input.fieldRequired';
    if ([...value].length < leastTitle) return 'input.titleTooShort';
  }
  if (value === '') return question.type === 'select' ? 'fields.choose' : 'fields.required';
  if (question.maxChar !== undefined && [...value].length > question.maxChar)
    return 'input.tooLong';
  if (question.type === 'email') return isEmail(value) ? undefined : 'fields.email';
  if (question.type === 'url') return isHttpUrl(value) ? undefined : 'fields.url';
  if (question.type !== 'tel') return undefined;
  const fault = await phoneFault(value, question.country);
  return fault && `fields.${fault}`;
}
