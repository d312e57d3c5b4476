// A form with edits that survive navigation, a closed dialog, a reload and an expired session: this
// browser stores them until they are sent or discarded, and restores them when the same user
// reopens the form.
import { useRef } from 'react';
import { type ServerForm, type ServerFormOptions, useServerForm } from '../forms.ts';
import { useUnsaved } from './use-unsaved.ts';

type KeptFormOptions<Values extends Record<string, unknown>> = ServerFormOptions<Values> & {
  /** Fields that are not stored: passwords, keys and files. */
  secrets?: readonly (keyof Values & string)[];
};

export interface KeptForm<Values extends Record<string, unknown>> extends ServerForm<Values> {
  /** Discards the input and closes the dialog, for a Cancel button. */
  discard: (close: () => void) => void;
}

export function useKeptForm<Values extends Record<string, unknown>>(
  name: string,
  { secrets = [], ...options }: KeptFormOptions<Values>,
): KeptForm<Values> {
  const sending = useRef<Promise<boolean>>(undefined);
  const sentValues = useRef('');
  const keptForm = useServerForm<Values>({
    ...options,
    send: async (values) => {
      const call = options.send(values);
      sending.current = call.then(
        () => true,
        () => false,
      );
      await call;
      sentValues.current = JSON.stringify(values);
    },
  });
  const { form } = keptForm;
  const readUnsaved = (): Partial<Values> | undefined => {
    const values = form.getValues();
    if (!form.isDirty() || JSON.stringify(values) === sentValues.current) return undefined;
    const storedValues = Object.entries(values).filter(([field]) => !secrets.includes(field));
    return Object.fromEntries(storedValues) as Partial<Values>;
  };
  useUnsaved<Partial<Values>>({
    name: `form:${name}`,
    unsaved: readUnsaved(),
    restore: (edit) => form.setValues(edit),
    discard: () => form.reset(),
    // The user may leave the screen before the response to a sent form arrives.
    onLeave: { getUnsaved: readUnsaved, save: async () => (await sending.current) ?? false },
  });
  const discard = (close: () => void) => {
    sentValues.current = JSON.stringify(form.getValues());
    close();
  };
  return { ...keptForm, discard };
}
