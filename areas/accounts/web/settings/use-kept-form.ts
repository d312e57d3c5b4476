// A settings form whose edits survive a reload or an expired session, with a prompt before unsaved
// edits are left.
import { type ServerForm, type ServerFormOptions, useServerForm } from '#platform/web/forms.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';

export function useSavedForm<Values extends Record<string, unknown>>(
  name: string,
  options: ServerFormOptions<Values>,
): ServerForm<Values> {
  const savedForm = useServerForm<Values>({
    ...options,
    send: async (values) => {
      await options.send(values);
      savedForm.form.resetDirty(values);
    },
  });
  const { form } = savedForm;
  useUnsaved<Values>({
    name: `settings:${name}`,
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (edit) => form.setValues(edit),
    guard: true,
  });
  return savedForm;
}
