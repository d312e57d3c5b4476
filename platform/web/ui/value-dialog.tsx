// The dialog behind `promptInput`, loaded with the first request.
import { Button, Group, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { fieldMessages } from '../api-error.ts';
import { showError } from '../errors/errors.ts';
import { sanitize } from '../sanitize.ts';
import { useOptionalSession } from '../session/session.ts';
import { useUnsavedIfSignedIn } from '../session/use-unsaved.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { isEmail, isHttpUrl, findPhoneFault, withScheme } from '../validators.ts';
import { type InputRequest, pendingInput, STAY_OPEN, type PromptValue } from './input-dialog.tsx';
import { SearchableMultiSelect, SearchableSelect } from './searchable-select.tsx';
import { useOpened } from '../hooks/use-opened.ts';
import { Dialog } from './form-dialog.tsx';

/** Minimum characters of a subscriber field's title. */
const MIN_TITLE = 3;

/** Shows the current request for input; rendered once in the app. */
export default function ValueDialog() {
  const question = useStore(pendingInput);
  const close = (value: PromptValue | undefined) => {
    question?.resolve(value);
    pendingInput.set(undefined);
  };
  return (
    <Dialog
      opened={useOpened(question !== undefined)}
      onClose={() => close(undefined)}
      title={question?.title}
    >
      {question && <Body key={nameOf(question)} question={question} close={close} />}
    </Dialog>
  );
}

function Body({
  question,
  close,
}: {
  question: InputRequest;
  close: (value?: PromptValue) => void;
}) {
  const t = useTexts('platform');
  const [value, setValue] = useState(question.value);
  const end = useKeptValue(question, value, setValue);
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    const clean = cleanOf(question, value);
    setBusy(true);
    try {
      const newFault = await faultOf(question, clean);
      if (newFault) return setFault(t(newFault, { max: question.maxLength }));
      if ((await question.send?.(clean)) !== STAY_OPEN) end(() => close(clean));
    } catch (error) {
      const message = fieldMessages(error);
      if (message) setFault(message);
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
        error={fault}
        onChange={(next) => {
          setValue(next);
          setFault(undefined);
        }}
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => end(() => close(undefined))}>
          {t('confirm.cancel')}
        </Button>
        <Button type="submit" loading={isBusy}>
          {question.confirm}
        </Button>
      </Group>
    </form>
  );
}

const nameOf = ({ type, title, label, value }: InputRequest) =>
  `input:${type}:${title}:${label}:${String(value)}`;

/**
 * Preserves input after Escape and a click outside the dialog. The returned function closes the
 * dialog without storing the input.
 */
function useKeptValue(
  question: InputRequest,
  value: PromptValue,
  restore: (value: PromptValue) => void,
) {
  const session = useOptionalSession();
  const isEnded = useRef(false);
  const unsavedValue = String(value) === String(question.value) ? undefined : value;
  useUnsavedIfSignedIn<PromptValue>(session && `${session.user.id}/${session.account.id}`, {
    name: nameOf(question),
    unsaved: unsavedValue,
    restore,
    discard: () => restore(question.value),
    onLeave: {
      getUnsaved: () => (isEnded.current ? undefined : unsavedValue),
      save: async () => false,
    },
  });
  return (close: () => void) => {
    isEnded.current = true;
    close();
  };
}

interface FieldProps {
  question: InputRequest;
  value: PromptValue;
  error: string | undefined;
  onChange: (value: PromptValue) => void;
}

function Field({ question, value, error, onChange }: FieldProps) {
  const { type, label, description, placeholder, options, onCreate, maxLength, maxValues } =
    question;
  const sharedProps = { label, description, placeholder, error, 'data-autofocus': true };
  if (type === 'multiselect') {
    return (
      <SearchableMultiSelect
        {...sharedProps}
        data={options ?? []}
        onCreate={onCreate}
        maxValues={maxValues}
        value={Array.isArray(value) ? value : []}
        onChange={onChange}
      />
    );
  }
  const text = Array.isArray(value) ? '' : value;
  if (type === 'select') {
    return (
      <SearchableSelect
        {...sharedProps}
        data={options ?? []}
        onCreate={onCreate}
        value={text || null}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  }
  return (
    <TextInput
      {...sharedProps}
      type={type}
      value={text}
      maxLength={maxLength}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function cleanOf({ type }: InputRequest, value: PromptValue): PromptValue {
  if (typeof value !== 'string') return value;
  return type === 'url' ? withScheme(sanitize(value)) : sanitize(value);
}

/** Returns the key of the value's error, if any. */
async function faultOf(question: InputRequest, value: PromptValue): Promise<string | undefined> {
  if (Array.isArray(value)) return value.length === 0 ? 'fields.chooseOne' : undefined;
  if (question.subscribersField) {
    if (value === '') return 'input.fieldRequired';
    if ([...value].length < MIN_TITLE) return 'input.titleTooShort';
  }
  if (value === '') return question.type === 'select' ? 'fields.choose' : 'fields.required';
  if (question.maxLength !== undefined && [...value].length > question.maxLength)
    return 'input.tooLong';
  if (question.type === 'email') return isEmail(value) ? undefined : 'fields.email';
  if (question.type === 'url') return isHttpUrl(value) ? undefined : 'fields.url';
  if (question.type !== 'tel' || question.isServerChecked) return undefined;
  const fault = await findPhoneFault(value, question.country);
  return fault && `fields.${fault}`;
}
