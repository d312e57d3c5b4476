// Forms: fields are validated on blur and show their errors, including errors from the server.
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError } from './api-error.ts';
import { showError } from './errors/errors.ts';

type FormInput<Values extends Record<string, unknown>> = NonNullable<
  Parameters<typeof useForm<Values>>[0]
>;
export type FormHandle<Values extends Record<string, unknown>> = ReturnType<typeof useForm<Values>>;

export interface ServerForm<Values extends Record<string, unknown>> {
  form: FormHandle<Values>;
  isBusy: boolean;
  /**
   * For `<form onSubmit={submit}>`: validates, sends, and shows the messages of a 422 at their
   * fields.
   */
  submit: ReturnType<FormHandle<Values>['onSubmit']>;
}

export type ServerFormOptions<Values extends Record<string, unknown>> = FormInput<Values> & {
  send: (values: Values) => Promise<unknown>;
  /** Fields with another name in the API: `{ zip_code: 'zip' }`. */
  apiFieldNames?: Record<string, keyof Values & string>;
  /** Handles an error; returns true if it did. */
  onError?: (error: ApiError) => boolean;
};

export function useServerForm<Values extends Record<string, unknown>>(
  options: ServerFormOptions<Values>,
): ServerForm<Values> {
  const { send, apiFieldNames, onError, ...input } = options;
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({ mode: 'controlled', validateInputOnBlur: true, ...input });
  const submit = form.onSubmit(
    async (values) => {
      if (isBusy) return;
      setBusy(true);
      try {
        await send(values);
      } catch (error) {
        if (error instanceof ApiError && onError?.(error)) return;
        if (!landOnFields(form, error, apiFieldNames)) showError(error);
      } finally {
        setBusy(false);
      }
    },
    () => focusFirstError(),
  );
  return { form, isBusy, submit };
}

/**
 * Shows the error's messages at their fields. True if every message is now visible; false for an
 * error without messages of fields.
 */
export function landOnFields<Values extends Record<string, unknown>>(
  form: FormHandle<Values>,
  error: unknown,
  apiFieldNames: Record<string, string> = {},
): boolean {
  if (!(error instanceof ApiError)) return false;
  const fieldNames = new Set(Object.keys(form.getValues()));
  const landedErrors: Record<string, string> = {};
  let isWhole = Object.keys(error.errors).length > 0;
  for (const [wire, messages] of Object.entries(error.errors)) {
    const field = apiFieldNames[wire] ?? wire;
    if (fieldNames.has(field.split('.')[0] ?? field)) landedErrors[field] = messages.join(' ');
    else isWhole = false;
  }
  if (Object.keys(landedErrors).length > 0) {
    flushSync(() => form.setErrors(landedErrors));
    focusFirstError();
  }
  return isWhole && Object.values(landedErrors).every(isShown);
}

/**
 * Returns false for messages without a visible field: messages for a whole list, or for a field
 * that is not rendered.
 */
function isShown(text: string): boolean {
  return document.body.textContent?.includes(text) ?? false;
}

export function focusFirstError(): void {
  setTimeout(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
